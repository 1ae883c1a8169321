import { nothingPublishedText } from '../../domain/landings/nothing-published.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { ReasonField } from '../components/reason-field.tsx';
import { request } from '../server/request.ts';
import type { Landing } from '../server/api-types.ts';
import { packagesText, targetText } from './landing-texts.ts';
import { useDecision } from './use-decision.ts';

type Given = { landing: Landing; onClose: () => void; onDone: () => void };
/** What a person can ask of a landing. */
export type LandingAction = 'approve' | 'reject' | 'pause' | 'resume' | 'cancel' | 'retry';

/** The dialog of what was asked of a landing. */
export function LandingDialog({ asked, ...given }: Given & { asked: LandingAction }) {
  if (asked === 'cancel') return <CancelLanding {...given} />;
  if (asked === 'retry') return <RetryLanding {...given} />;
  if (asked === 'pause' || asked === 'resume') return <PauseLanding asked={asked} {...given} />;
  return <Decide decision={asked} {...given} />;
}

function Decide({
  landing,
  decision,
  onClose,
  onDone,
}: Given & { decision: 'approve' | 'reject' }) {
  const isApproval = decision === 'approve';
  const { isChanged, decide } = useDecision(landing);
  const act = async (form: FormData, key: string) => {
    await decide({ decision, comment: formText(form, 'comment') }, key);
    announce(`Landing ${landing.id} is ${isApproval ? 'approved' : 'rejected'}`);
    onDone();
  };
  return (
    <FormDialog
      title={`${isApproval ? 'Approve' : 'Reject'} landing ${landing.id}?`}
      doIt={wordOf(decision, isChanged)}
      leaveIt="Not now"
      isDangerous={!isApproval}
      act={act}
      onClose={onClose}
    >
      <p>
        {isApproval
          ? `${packagesText(landing)}: published in ${targetText(landing)}. That cannot be taken back.`
          : `The landing fails, and ${nothingPublishedText(landing)}. It can be tried again.`}
      </p>
      <ReasonField label="Why (the landing keeps it, with your name)" name="comment" />
    </FormDialog>
  );
}

function wordOf(decision: 'approve' | 'reject', isChanged: boolean): string {
  if (isChanged) return decision === 'approve' ? 'Approve it anyway' : 'Reject it anyway';
  return decision === 'approve' ? 'Approve and publish' : 'Reject it';
}

function PauseLanding({ landing, asked, onClose, onDone }: Given & { asked: 'pause' | 'resume' }) {
  const isPause = asked === 'pause';
  const act = async (_: FormData, key: string) => {
    await request('POST', `${landing.resource_uri}${asked}/`, { key });
    announce(`Landing ${landing.id} ${isPause ? 'is paused' : 'goes on'}`);
    onDone();
  };
  return (
    <FormDialog
      title={`${isPause ? 'Pause' : 'Resume'} landing ${landing.id}?`}
      doIt={isPause ? 'Pause the landing' : 'Let it go on'}
      act={act}
      onClose={onClose}
    >
      <p>
        {isPause
          ? 'What runs goes on, and nothing new begins until somebody resumes it. It keeps its place in the line and its packages. It fails where nobody resumes it in time.'
          : 'It goes on where it is.'}
      </p>
    </FormDialog>
  );
}

function CancelLanding({ landing, onClose, onDone }: Given) {
  const act = async (_: FormData, key: string) => {
    await request('POST', `${landing.resource_uri}cancel/`, { key });
    announce(`Landing ${landing.id} will be cancelled`);
    onDone();
  };
  return (
    <FormDialog
      title={`Cancel landing ${landing.id}?`}
      doIt="Cancel the landing"
      leaveIt="Keep landing"
      isDangerous
      act={act}
      onClose={onClose}
    >
      <p>
        Its builds and tests are stopped, and {nothingPublishedText(landing)}. What is built stays
        built. It can be tried again.
      </p>
    </FormDialog>
  );
}

function RetryLanding({ landing, onClose, onDone }: Given) {
  const act = async (_: FormData, key: string) => {
    await request('POST', `${landing.resource_uri}retry/`, { key });
    announce(`Landing ${landing.id} is tried again`);
    onDone();
  };
  const { failure } = landing;
  return (
    <FormDialog
      title={`Try landing ${landing.id} again?`}
      doIt={`Start attempt ${landing.attempt + 1}`}
      act={act}
      onClose={onClose}
    >
      <p>
        It goes to the end of the line. What is built stays built, and what is published stays
        published.
      </p>
      {failure && !failure.retryable && (
        <p class="note note-warn">
          This failure ({failure.class}) does not go away by itself: {failure.hint}
        </p>
      )}
    </FormDialog>
  );
}
