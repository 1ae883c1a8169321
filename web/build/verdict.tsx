import { builtLater } from '../../domain/builds/built-later.ts';
import { ExternalLink } from '../components/external-link.tsx';
import { Icon } from '../components/icon.tsx';
import { Elapsed } from '../components/relative-time.tsx';
import {
  FailureClass,
  FailureInShort,
  troubleHead,
  troubleText,
  useTold,
  VerdictFrame,
} from '../components/verdict.tsx';
import type { Build, Failure } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';
import { failureLogAddress } from './build-log-address.ts';
import { cancelledText, sentenceOf } from './build-texts.ts';
import { AptLines } from './built-packages.tsx';
import { isOnItsWay, isCancelling } from './cancel-and-retry.ts';
import { WaitingDetails } from './waiting-details.tsx';

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
  if (trouble) return troubleHead(trouble);
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
        {trouble && !isEnding ? troubleText(trouble) : sentenceOf(build)}
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
