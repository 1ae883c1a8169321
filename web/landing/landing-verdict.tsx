import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { buildAddress, landingAddress } from '../addresses.ts';
import { Icon } from '../components/icon.tsx';
import { Ago, Elapsed } from '../components/relative-time.tsx';
import { duration } from '../format.ts';
import { may, session } from '../server/session.ts';
import type { Landing } from '../server/api-types.ts';
import { LandingDialog, type Asked } from './dialogs.tsx';
import { landingLabel } from './labels.ts';
import { packagesText, sentenceOf, targetText, whileText } from './landing-texts.ts';
import { Line } from './line.tsx';

/**
 * What is happening with a landing, in words; why it stopped and what to do; and what a person can do now. One that stops
 * while it is looked at says so in the room that it had: the rest comes when it is asked for, and nothing moves.
 */
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
  const [asked, setAsked] = useState<Asked>();
  const [isOpen, setIsOpen] = useState(landing.finished_at !== null);
  useEffect(() => {
    if (landing.finished_at === null) setIsOpen(false);
  }, [landing.finished_at]);
  const { failure, decision, finished_at: finishedAt } = landing;
  const shown = landingLabel(landing);
  return (
    <section class={`verdict verdict-${shown.tone} landing`} aria-label="The landing">
      <div class="verdict-icon">
        <Icon name={shown.icon} size={32} />
      </div>
      <div class="verdict-told">
        <p class="verdict-word">
          {shown.word}
          {failure && ` ${whileText(failure.phase)}`}
          <span class="verdict-time">
            {finishedAt === null ? (
              <>
                for <Elapsed since={landing.phase_since} />
              </>
            ) : (
              <>
                after {duration(Date.parse(finishedAt) - Date.parse(landing.requested_at))},{' '}
                <Ago at={finishedAt} />
              </>
            )}
          </span>
        </p>
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
        {failure ? (
          <Failure failure={failure} isOpen={isOpen} onOpen={() => setIsOpen(true)} />
        ) : (
          <p class="verdict-sentence">{sentenceOf(landing)}</p>
        )}
        {landing.phase === 'queued' && landing.ahead.length > 0 && <Line landing={landing} />}
        {decision && (
          <p class="verdict-sentence">
            <b>{decision.decision === 'approve' ? 'Approved' : 'Rejected'}</b> by {decision.by}: “
            {decision.comment}”
          </p>
        )}
        {isToDecide(landing) &&
          (may('landing:approve') ? <Decide ask={setAsked} /> : <WhoMayDecide />)}
      </div>
      <Actions landing={landing} ask={setAsked} />
      {asked && (
        <LandingDialog
          asked={asked}
          landing={landing}
          onClose={() => setAsked(undefined)}
          onDone={onDone}
        />
      )}
    </section>
  );
}

function Failure({
  failure,
  isOpen,
  onOpen,
}: {
  failure: NonNullable<Landing['failure']>;
  isOpen: boolean;
  onOpen: () => void;
}) {
  if (!isOpen)
    return (
      <>
        <p class="verdict-sentence verdict-short" tabIndex={0}>
          {failure.message}
        </p>
        <p class="verdict-facts">
          <button type="button" class="button" onClick={onOpen}>
            What to do
          </button>
        </p>
      </>
    );
  return (
    <>
      <p class="verdict-sentence">{failure.message}</p>
      <p class="verdict-hint">{failure.hint}</p>
      <p class="verdict-facts">
        <code>{failure.class}</code>
        <span>{failure.retryable ? 'Trying again can help.' : 'Trying again does not help.'}</span>
        {failure.build_id !== undefined && (
          <a class="button" href={buildAddress(failure.build_id)}>
            Go to build {failure.build_id}
          </a>
        )}
      </p>
    </>
  );
}

/** Why there is nothing to press for a reader who may not decide. */
function WhoMayDecide() {
  const scopes = session.value?.scopes.join(', ') ?? '';
  return (
    <p class="verdict-hint">
      To approve or reject it, sign in with a token that has the scope <code>landing:approve</code>.
      Yours has {scopes === '' ? 'none' : scopes}.
    </p>
  );
}

function Decide({ ask }: { ask: (what: Asked) => void }) {
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

function Actions({ landing, ask }: { landing: Landing; ask: (what: Asked) => void }) {
  const { phase, finished_at: finishedAt, cancel_requested_at: cancelRequestedAt } = landing;
  const canCancel = finishedAt === null && phase !== 'publishing' && cancelRequestedAt === null;
  return (
    <div class="actions landing-actions">
      {canCancel && may('build:write') && (
        <Action what="cancel" ask={ask}>
          Cancel
        </Action>
      )}
      {finishedAt !== null && phase !== 'complete' && may('build:write') && (
        <Action isMain={landing.failure?.retryable ?? true} what="retry" ask={ask}>
          Retry
        </Action>
      )}
    </div>
  );
}

function Action({
  what,
  isMain = false,
  ask,
  children,
}: {
  what: Asked;
  isMain?: boolean;
  ask: (what: Asked) => void;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class={`button ${isMain ? 'button-main' : ''}`} onClick={() => ask(what)}>
      {children}
      <span class="visually-hidden"> the landing</span>
    </button>
  );
}

function isToDecide({ phase, decision, cancel_requested_at: cancelRequestedAt }: Landing): boolean {
  return phase === 'approving' && decision === null && cancelRequestedAt === null;
}
