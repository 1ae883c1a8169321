import { Icon } from '../components/icon.tsx';
import { Ago } from '../components/relative-time.tsx';
import {
  FailureClass,
  FailureInShort,
  ShortSentence,
  useTold,
  VerdictFrame,
} from '../components/verdict.tsx';
import { counted, duration, exactTime, size } from '../format.ts';
import { failureLogAddress } from '../log/log-address.ts';
import type { Build, Failure } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';

const STAGES = ['Queued', 'Checking and uploading', 'Building', 'Done'] as const;

/** What is happening with a build, in words, whatever state it is in; where it failed, why and what to do. */
export function Verdict({ build }: { build: Build }) {
  const { failure } = build;
  const [isTold, tell] = useTold(build.finished_at === null);
  return (
    <VerdictFrame shown={buildLabel(build)} label="What is happening" times={build}>
      {!failure && <Progress build={build} />}
      {failure && isTold && <FailureDetails build={build} failure={failure} />}
      {failure && !isTold && <FailureInShort failure={failure} ask="Why it failed" onAsk={tell} />}
    </VerdictFrame>
  );
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
  return (
    <>
      <ShortSentence>
        {build.trouble ? <LastError trouble={build.trouble} /> : sentenceOf(build)}
        {waitingText(build)}
      </ShortSentence>
      <ol class="stages">
        {STAGES.map((stage, index) => {
          const at = stageOf(build);
          const place = index < at ? 'past' : index === at ? 'here' : 'ahead';
          return (
            <li
              key={stage}
              class={`stage stage-${place}`}
              aria-current={place === 'here' ? 'step' : undefined}
            >
              {stage}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function LastError({ trouble }: { trouble: NonNullable<Build['trouble']> }) {
  return (
    <>
      <span class="trouble">
        <Icon name="warning" />
        <b>{trouble.step} fails</b>
      </span>
      , {counted(trouble.tries, 'try', 'tries')} since <Ago at={trouble.since} />: {trouble.message}{' '}
      It is tried again by itself.
    </>
  );
}

function stageOf({ state }: Build): number {
  if (state === 'queued') return 0;
  if (state === 'completed' || state === 'failed') return 3;
  return state === 'building' || state === 'collecting' ? 2 : 1;
}

function sentenceOf(build: Build): string {
  const { builds, phase } = build;
  if (build.finished_at !== null)
    return `${counted(builds.length, 'architecture was', 'architectures were')} built.`;
  if (build.cancel_requested_at !== null)
    return `${build.cancel_requested_by ?? 'The caller'} asked for its end; the PPA is told to stop, and logs are collected.`;
  switch (phase) {
    case 'queued':
      return build.dispatched_at === null
        ? 'Its workflow is about to be started. If it stays here, look at the status: Temporal may be away.'
        : 'Its workflow waits for a worker. If it stays here, the status page says whether a worker runs.';
    case 'checking':
      return 'The sources are fetched and checked. After that they are uploaded.';
    case 'uploading':
      return `The sources are uploaded to the PPA.${uploadText(build.upload)}`;
    case 'accepting':
      return 'The PPA has the upload. It shows what it builds once it has accepted it.';
    case 'waiting_for_builder':
      return builds.some((one) => one.state === 'completed')
        ? `${buildingText(builds)} No builder of the PPA has taken the rest yet.`
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
    ? ` ${upload.package}: ${size(upload.sent_bytes)} of ${size(upload.total_bytes)}.`
    : '';
}

/** How long it usually waits, how many are before it, and when it is given up; empty where it does not wait. */
function waitingText({ waiting, cancel_requested_at: cancelRequestedAt }: Build): string {
  if (!waiting || cancelRequestedAt !== null) return '';
  const { usually_ms: usuallyMs, gives_up_at: givesUpAt, ahead } = waiting;
  return [
    ...(ahead ? [` ${counted(ahead, 'request is', 'requests are')} before it.`] : []),
    ...(usuallyMs === null ? [] : [` Usually this takes ${duration(usuallyMs)}.`]),
    ...(givesUpAt === null ? [] : [` It is given up at ${exactTime(givesUpAt)}.`]),
  ].join('');
}

function buildingText(builds: Build['builds']): string {
  const blocked = builds.find((one) => one.state === 'dependency_wait');
  if (blocked)
    return `${blocked.package} waits on ${blocked.architecture} for ${blocked.dependencies ?? 'build dependencies'}, which neither the series nor the PPA has.`;
  const done = builds.filter((one) => one.state === 'completed').length;
  return `${done} of ${counted(builds.length, 'architecture is', 'architectures are')} built.`;
}
