import { builtLater } from '../../domain/builds/built-later.ts';
import { sizeText } from '../../domain/text/quantity-text.ts';
import { stepWords } from '../../domain/builds/step-words.ts';
import { ExternalLink } from '../components/external-link.tsx';
import { Icon } from '../components/icon.tsx';
import { Elapsed } from '../components/relative-time.tsx';
import { FailureClass, FailureInShort, useTold, VerdictFrame } from '../components/verdict.tsx';
import { asSentence, counted, shownActor } from '../format.ts';
import type { Build, Failure } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';
import { failureLogAddress } from './build-log-address.ts';
import { AptLines } from './built-packages.tsx';
import { isOnItsWay, isCancelling } from './cancel-and-retry.ts';
import { groupOf, type Group } from './record-groups.ts';
import { missingOf, WaitingDetails } from './waiting-details.tsx';

const STAGES = ['Queue', 'Upload', 'Acceptance', 'Builder', 'Build', 'Done'] as const;

/** What is happening with a build, in words, whatever state it is in; where it failed, why and what to do. */
export function Verdict({ build }: { build: Build }) {
  const { failure } = build;
  const [isTold, tell] = useTold(build.finished_at === null);
  const isCancelled = failure?.class === 'cancelled';
  return (
    <VerdictFrame {...headOf(build)} label="What is happening" times={build}>
      {!failure && <Progress build={build} />}
      {isCancelled && <p class="verdict-sentence">{cancelledText(build)}</p>}
      {failure && !isCancelled && isTold && <FailureDetails build={build} failure={failure} />}
      {failure && !isCancelled && !isTold && (
        <FailureInShort failure={failure} ask="Why it failed" onAsk={tell} />
      )}
      {failure && <Leftovers build={build} />}
    </VerdictFrame>
  );
}

/** The headline: of what fails and is tried again, that; of what waits, since when. */
function headOf(build: Build) {
  const shown = buildLabel(build);
  const { trouble, waiting } = build;
  if (!isOnItsWay(build)) return { shown };
  if (trouble)
    return {
      shown: { tone: 'warn', icon: 'warning', word: `${stepWords(trouble.step)} fails` } as const,
      time: (
        <>
          {counted(trouble.tries, 'try', 'tries')} in <Elapsed since={trouble.since} />
        </>
      ),
    };
  if (!waiting) return { shown };
  return {
    shown,
    time: (
      <>
        for <Elapsed since={waiting.since} />
      </>
    ),
  };
}

/** Who ended it, and what it had built until then. */
function cancelledText({ builds, cancel_requested_by: by, failure }: Build): string {
  const built = builds.filter((one) => one.state === 'completed').length;
  const kept =
    built > 0
      ? ` ${built} of ${counted(builds.length, 'build')} had ended well; what they made stays.`
      : '';
  const who =
    by === null
      ? asSentence(shownActor(failure?.message ?? ''))
      : `${shownActor(by)} cancelled it.`;
  return `${who}${kept} It can be retried.`;
}

/** What the PPA builds all the same, and where to prevent it. */
function Leftovers({ build }: { build: Build }) {
  return builtLater(build.builds).map((one) => (
    <p key={one.package} class="verdict-hint">
      The PPA still builds {one.package} when what it waits for comes.{' '}
      <ExternalLink to={one.url}>{`Delete ${one.package} in the PPA`}</ExternalLink> if it is not
      wanted.
    </p>
  ));
}

function FailureDetails({ build, failure }: { build: Build; failure: Failure }) {
  const jump = failureLogAddress(build);
  const where = [failure.package, failure.architecture].filter(Boolean).join(' on ');
  return (
    <>
      <p class="verdict-sentence">{failure.message}</p>
      {failure.excerpt !== undefined && <Excerpt failure={failure} where={where} />}
      <p class="verdict-hint">{failure.hint}</p>
      <p class="verdict-facts">
        <FailureClass failure={failure} />
        {jump && (
          <a class="button" href={jump}>
            <Icon name="down" />
            {failure.line === undefined ? 'Go to the log' : `Go to line ${failure.line} of the log`}
          </a>
        )}
      </p>
    </>
  );
}

function Excerpt({ failure, where }: { failure: Failure; where: string }) {
  const { excerpt = '', excerpt_line: first, line } = failure;
  return (
    <figure class="excerpt">
      <figcaption>
        From the log{where && ` of ${where}`}
        {line !== undefined && `, around line ${line}`}
      </figcaption>
      <pre tabIndex={0}>
        {excerpt.split('\n').map((text, at) => {
          const isCause = first !== undefined && first + at === line;
          return isCause ? <mark key={at}>{`${text}\n`}</mark> : `${text}\n`;
        })}
      </pre>
    </figure>
  );
}

function Progress({ build }: { build: Build }) {
  const { trouble, waiting } = build;
  const isEnding = isCancelling(build);
  return (
    <>
      <p class="verdict-sentence">
        {trouble && !isEnding ? (
          <>{asSentence(trouble.message)} It is tried again by itself.</>
        ) : (
          sentenceOf(build)
        )}
      </p>
      {waiting && !isEnding && <WaitingDetails build={build} waiting={waiting} />}
      {build.state === 'completed' && <AptLines build={build} />}
      {build.state !== 'completed' && <Stages build={build} />}
    </>
  );
}

/** Where a build is on its way; dotted where it waits. */
function Stages({ build }: { build: Build }) {
  const at = stageOf(build);
  return (
    <ol class="stages">
      {STAGES.map((stage, index) => {
        const place = index < at ? 'past' : index === at ? 'here' : 'ahead';
        return (
          <li
            key={stage}
            class={`stage stage-${place} ${build.waiting ? 'stage-waits' : ''}`}
            aria-current={place === 'here' ? 'step' : undefined}
          >
            {stage}
          </li>
        );
      })}
    </ol>
  );
}

function stageOf({ state, phase }: Build): number {
  if (state === 'queued') return 0;
  if (state === 'completed' || state === 'failed') return 5;
  if (phase === 'accepting') return 2;
  if (phase === 'waiting_for_builder') return 3;
  return state === 'building' || state === 'collecting' ? 4 : 1;
}

function sentenceOf(build: Build): string {
  const { builds, phase } = build;
  if (build.finished_at !== null) return builtText(builds);
  if (isCancelling(build))
    return `${shownActor(build.cancel_requested_by ?? 'The caller')} asked to cancel it; the PPA is told to stop, and logs are collected.`;
  switch (phase) {
    case 'queued':
      return build.dispatched_at === null
        ? 'The request is kept; its workflow is about to be started.'
        : 'Its workflow is started; no worker has taken it yet.';
    case 'checking':
      return 'The sources are fetched and checked. After that they are uploaded.';
    case 'uploading':
      return `The sources are uploaded to the PPA.${uploadText(build.upload)}`;
    case 'accepting':
      return 'The sources were sent to the PPA, and it has not shown them yet. Nothing is built before it does.';
    case 'waiting_for_builder':
      return builds.some((one) => one.state === 'completed')
        ? buildingText(builds)
        : 'The PPA has accepted it. No builder of the PPA has taken it yet.';
    case 'prerequisite_wait':
      return `${laterText(build)} are uploaded when the PPA has published what is built.`;
    case 'collecting':
      return 'The PPA is done with it. Its logs are collected.';
    default:
      return buildingText(builds);
  }
}

function laterText({ sequence }: Build): string {
  const later = sequence.filter(({ state }) => state === 'waiting').map((one) => one.package);
  return later.length > 3 ? `${later.length} more packages` : later.join(', ');
}

function uploadText(upload: Build['upload']): string {
  return upload
    ? ` ${upload.package}: ${sizeText(upload.sent_bytes)} of ${sizeText(upload.total_bytes)}.`
    : '';
}

/** How far the builds of the PPA are, in one sentence, and in a second what some of them lack. */
function buildingText(builds: Build['builds']): string {
  const countOf = (group: Group) => builds.filter((one) => groupOf(one) === group).length;
  const parts = [
    `${countOf('built')} of ${counted(builds.length, 'build is', 'builds are')} done`,
    ...some(countOf('failed'), 'failed'),
    ...some(countOf('cancelled'), 'cancelled'),
    ...some(countOf('building'), 'under way'),
    ...some(countOf('waiting'), 'waiting for a builder'),
  ];
  const missing = missingOf(builds);
  const blocked = countOf('blocked');
  return `${parts.join(', ')}.${
    blocked > 0
      ? ` ${counted(blocked, 'waits', 'wait')} for ${missing.join(', ') || 'build dependencies'}.`
      : ''
  }`;
}

function some(number: number, what: string): string[] {
  return number > 0 ? [`${number} ${what}`] : [];
}

/** What a completed build has built: `hello 2.12-1 on amd64`, or how many of what. */
function builtText(builds: Build['builds']): string {
  const packages = new Set(builds.map((one) => one.package));
  const architectures = new Set(builds.map((one) => one.architecture));
  const [only] = builds;
  if (only && builds.length === 1)
    return `${only.package} ${only.version} is built on ${only.architecture}.`;
  return `${counted(packages.size, 'package is', 'packages are')} built on ${counted(architectures.size, 'architecture')}.`;
}
