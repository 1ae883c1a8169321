import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { againText } from '../../domain/landings/tested-again.ts';
import { buildAddress, landingAddress } from '../addresses.ts';
import { isOnItsWay } from '../build/cancel-and-retry.ts';
import { MissingScopes, type Wish } from '../components/missing-scopes.tsx';
import { Ago } from '../components/relative-time.tsx';
import {
  FailureClass,
  FailureInShort,
  troubleHead,
  troubleText,
  useTold,
  VerdictFrame,
} from '../components/verdict.tsx';
import { may } from '../server/session.ts';
import type { Landing } from '../server/api-types.ts';
import { LandingDialog, type LandingAction } from './dialogs.tsx';
import { landingLabel } from './labels.ts';
import {
  estimateText,
  packagesText,
  sentenceOf,
  targetText,
  waitText,
  whileText,
} from './landing-texts.ts';
import { Line } from './line.tsx';

/** What is happening with a landing, in words; why it stopped and what to do; and what a person can do now. */
export function LandingVerdict({
  landing,
  others,
  onDone,
}: {
  landing: Landing;
  /** The ticket's other landings. */
  others: readonly Landing[];
  onDone: () => void;
}) {
  const [asked, setAsked] = useState<LandingAction>();
  const { failure, decision } = landing;
  const trouble = isOnItsWay(landing) ? landing.trouble : null;
  const again = againText(landing);
  const wait = waitText(landing);
  const [isTold, tell] = useTold(landing.finished_at === null);
  return (
    <VerdictFrame
      {...headOf(landing)}
      label="The landing"
      isOfLanding
      times={landing}
      actions={<Actions landing={landing} ask={setAsked} />}
    >
      <p class="landing-facts">
        <span>
          Landing {landing.id}
          {landing.attempt > 1 && `, attempt ${landing.attempt}`}
        </span>
        <span>{packagesText(landing)}</span>
        <span>into {targetText(landing)}</span>
        <span>
          requested <Ago at={landing.requested_at} /> by {landing.requested_by}
        </span>
        {others.map((one) => (
          <a key={one.id} href={landingAddress(one)}>
            Landing {one.id}: {landingLabel(one).word}
          </a>
        ))}
      </p>
      {trouble && <p class="verdict-sentence">{troubleText(trouble)}</p>}
      {!failure && <p class="verdict-sentence">{sentenceOf(landing)}</p>}
      {again && <p class="verdict-sentence">{again}</p>}
      {wait && <p class="verdict-sentence">{wait}</p>}
      {failure && isTold && <Failure failure={failure} />}
      {failure && !isTold && <FailureInShort failure={failure} ask="What to do" onAsk={tell} />}
      {landing.phase === 'queued' && landing.ahead.length > 0 && <Line landing={landing} />}
      {landing.estimate && isOnItsWay(landing) && landing.paused_by === null && (
        <p class="verdict-hint">{estimateText(landing.estimate)}</p>
      )}
      {decision && (
        <p class="verdict-sentence">
          <b>{decision.decision === 'approve' ? 'Approved' : 'Rejected'}</b> by {decision.by}: “
          {decision.comment}”
        </p>
      )}
      {isToDecide(landing) && may('landing:approve') && <Decide ask={setAsked} />}
      <MissingScopes wishes={wishesOf(landing)} />
      {asked && (
        <LandingDialog
          asked={asked}
          landing={landing}
          onClose={() => setAsked(undefined)}
          onDone={onDone}
        />
      )}
    </VerdictFrame>
  );
}

/** The headline: of one whose workflow fails, that; of one that is paused, by whom and since when. */
function headOf(landing: Landing) {
  const shown = landingLabel(landing);
  const { failure, trouble, paused_at: pausedAt, paused_by: pausedBy } = landing;
  if (isOnItsWay(landing) && trouble) return troubleHead(trouble);
  if (isOnItsWay(landing) && pausedAt !== null)
    return {
      shown,
      headline: `${shown.word} by ${pausedBy ?? 'somebody'}`,
      time: (
        <>
          since <Ago at={pausedAt} />
        </>
      ),
    };
  return { shown, headline: `${shown.word}${failure ? ` ${whileText(failure.phase)}` : ''}` };
}

function Failure({ failure }: { failure: NonNullable<Landing['failure']> }) {
  return (
    <>
      <p class="verdict-sentence">{failure.message}</p>
      <p class="verdict-hint">{failure.hint}</p>
      <p class="verdict-facts">
        <FailureClass failure={failure} />
        {failure.build_id !== undefined && (
          <a class="button" href={buildAddress(failure.build_id)}>
            Go to build {failure.build_id}
          </a>
        )}
      </p>
    </>
  );
}

function Decide({ ask }: { ask: (what: LandingAction) => void }) {
  return (
    <p class="verdict-facts">
      <Action isMain what="approve" ask={ask}>
        Approve
      </Action>
      <Action what="reject" ask={ask}>
        Reject
      </Action>
    </p>
  );
}

function Actions({ landing, ask }: { landing: Landing; ask: (what: LandingAction) => void }) {
  return (
    <div class="actions landing-actions">
      {may('build:write') &&
        askableOf(landing).map((what) => (
          <Action
            key={what}
            isMain={what === 'retry' && (landing.failure?.retryable ?? true)}
            what={what}
            ask={ask}
          >
            {what[0]?.toUpperCase()}
            {what.slice(1)}
          </Action>
        ))}
    </div>
  );
}

/** What can be asked of a landing as it stands, but for the decision. */
function askableOf(landing: Landing): Exclude<LandingAction, 'approve' | 'reject'>[] {
  const { phase, finished_at: finishedAt, paused_by: pausedBy } = landing;
  if (finishedAt !== null) return phase === 'complete' ? [] : ['retry'];
  if (!isOnItsWay(landing) || phase === 'publishing') return [];
  return [pausedBy === null ? 'pause' : 'resume', 'cancel'];
}

function wishesOf(landing: Landing): Wish[] {
  const askable = askableOf(landing);
  return [
    ...(isToDecide(landing)
      ? [{ to: 'approve or reject it', needs: 'landing:approve' } as const]
      : []),
    ...(askable.length > 0
      ? [{ to: `${askable.join(' or ')} it`, needs: 'build:write' } as const]
      : []),
  ];
}

function Action({
  what,
  isMain = false,
  ask,
  children,
}: {
  what: LandingAction;
  isMain?: boolean;
  ask: (what: LandingAction) => void;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class={`button ${isMain ? 'button-main' : ''}`} onClick={() => ask(what)}>
      {children}
      <span class="visually-hidden"> the landing</span>
    </button>
  );
}

function isToDecide(landing: Landing): boolean {
  return landing.phase === 'approving' && landing.decision === null && isOnItsWay(landing);
}
