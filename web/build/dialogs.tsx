import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { counted } from '../format.ts';
import { request } from '../server/request.ts';
import type { Build } from '../server/api-types.ts';

type Given = { build: Build; onClose: () => void; onDone: () => void };

/** Asks whether to cancel a build. */
export function CancelDialog({ build, onClose, onDone }: Given) {
  const active = build.builds.filter(({ state }) => state === 'building' || state === 'waiting');
  const act = async () => {
    await request('POST', `/api/v1/build/${build.id}/cancel/`);
    announce(`Build ${build.id} will be cancelled`);
    onDone();
  };
  return (
    <FormDialog
      title={`Cancel build ${build.id}?`}
      doIt="Cancel the build"
      leaveIt="Keep building"
      isDangerous
      act={act}
      onClose={onClose}
    >
      <p>
        {active.length > 0
          ? `${counted(active.length, 'architecture is', 'architectures are')} not done yet; the PPA is told to stop.`
          : 'It stops at its next step.'}{' '}
        The logs so far are kept, and the caller gets a final message. It can be retried.
      </p>
    </FormDialog>
  );
}

/** Asks whether to retry a failed build. */
export function RetryDialog({ build, onClose, onDone }: Given) {
  const failed = build.builds.filter(
    ({ state }) => state === 'failed' || state === 'dependency_wait',
  );
  const act = async () => {
    await request('POST', `/api/v1/build/${build.id}/retry/`, { body: {} });
    announce(`Build ${build.id} is retried`);
    onDone();
  };
  return (
    <FormDialog
      title={`Retry build ${build.id}?`}
      doIt={`Start attempt ${build.attempt + 1}`}
      act={act}
      onClose={onClose}
    >
      <p>
        {failed.length > 0
          ? `${counted(failed.length, 'architecture that failed is', 'architectures that failed are')} built again; what was built stays.`
          : 'The build starts over.'}
      </p>
      {build.failure && !build.failure.retryable && (
        <p class="note note-warn">
          This failure ({build.failure.class}) does not go away by itself: {build.failure.hint}
        </p>
      )}
    </FormDialog>
  );
}
