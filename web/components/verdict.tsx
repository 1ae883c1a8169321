import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { failureWords, PAUSED_STEP } from '../../domain/builds/step-words.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { counted } from '../format.ts';
import type { Trouble } from '../server/api-types.ts';
import type { StateLabel } from '../states.ts';
import { Icon } from './icon.tsx';
import { useStableHeight } from './use-stable-height.ts';
import { Ago, Elapsed } from './relative-time.tsx';

/** When something began, came to where it is, and ended. */
type Times = { requested_at: string; phase_since: string; finished_at: string | null };
type Failure = { class: string; message: string; retryable: boolean };

/**
 * What is happening with a build or a landing: a headline, and what is said below it.
 *
 * @param label names this part of the page
 * @param headline the word of the state, unless more is said
 * @param time how long it is in its state, or has taken, unless another time counts
 * @param actions what can be done, beside the text
 */
export function VerdictFrame({
  shown,
  label,
  headline = shown.word,
  times,
  time = <VerdictTime times={times} />,
  actions,
  isOfLanding = false,
  children,
}: {
  shown: StateLabel;
  label: string;
  headline?: ComponentChildren;
  times: Times;
  time?: ComponentChildren;
  actions?: ComponentChildren;
  isOfLanding?: boolean;
  children: ComponentChildren;
}) {
  const frame = useStableHeight<HTMLElement>(shown.word, 'minHeight');
  return (
    <section
      ref={frame}
      class={`verdict verdict-${shown.tone} ${isOfLanding ? 'landing' : ''}`}
      aria-label={label}
    >
      <div class="verdict-icon">
        <Icon name={shown.icon} size={32} />
      </div>
      <div class="verdict-told">
        <p class="verdict-word">
          {headline} <span class="verdict-time">{time}</span>
        </p>
        {children}
      </div>
      {actions}
    </section>
  );
}

function VerdictTime({ times }: { times: Times }) {
  const { requested_at: requestedAt, phase_since: phaseSince, finished_at: finishedAt } = times;
  if (finishedAt === null)
    return (
      <>
        for <Elapsed since={phaseSince} />
      </>
    );
  return (
    <>
      after {durationText(Date.parse(finishedAt) - Date.parse(requestedAt))},{' '}
      <Ago at={finishedAt} />
    </>
  );
}

/** The headline of what fails and is tried again: what fails, how often and for how long. */
export function troubleHead({ step, tries, since }: Trouble) {
  return {
    shown: { tone: 'warn', icon: 'warning', word: failureWords(step) } as const,
    time: (
      <>
        {counted(tries, 'try', 'tries')} in <Elapsed since={since} />
      </>
    ),
  };
}

/** What the last try said, in sentences. */
export function troubleText({ step, message }: Trouble): string {
  const next =
    step === PAUSED_STEP ? 'It goes on once it is unpaused.' : 'It is tried again by itself.';
  return `${sentence(message)} ${next}`;
}

/**
 * Whether all is told of a failure: at once of one that was there when the page was opened. What fails while it is
 * looked at says so first: the rest, which needs more room, comes when it is asked for.
 *
 * @returns whether it is told, and what tells it
 */
export function useTold(isUnderWay: boolean): [isTold: boolean, tell: () => void] {
  const [isTold, setTold] = useState(!isUnderWay);
  useEffect(() => {
    if (isUnderWay) setTold(false);
  }, [isUnderWay]);
  return [isTold, () => setTold(true)];
}

/**
 * What a failure is in a line, with a button that tells the rest of it.
 *
 * @param ask what the button says
 */
export function FailureInShort({
  failure,
  ask,
  onAsk,
}: {
  failure: Failure;
  ask: string;
  onAsk: () => void;
}) {
  return (
    <>
      <p class="verdict-sentence">{failure.message}</p>
      <p class="verdict-facts">
        <FailureClass failure={failure} />
        <button type="button" class="button" onClick={onAsk}>
          {ask}
        </button>
      </p>
    </>
  );
}

/** The class of a failure, and whether a retry can help. */
export function FailureClass({ failure }: { failure: Failure }) {
  return (
    <>
      <code>{failure.class}</code>
      <span>{failure.retryable ? 'A retry can help.' : 'A retry alone does not help.'}</span>
    </>
  );
}
