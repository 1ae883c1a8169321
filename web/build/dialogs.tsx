import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { request } from '../server/request.ts';
import type { Build } from '../server/api-types.ts';
import { toCancelText, toRetryText } from './build-texts.ts';

type Given = { build: Build; onClose: () => void; onDone: () => void };

/** Asks whether to cancel a build. */
export function CancelDialog({ build, onClose, onDone }: Given) {
  const act = async (_: FormData, key: string) => {
    await request('POST', `/api/v1/build/${build.id}/cancel/`, { key });
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
        {toCancelText(build)} The logs so far are kept, and the caller gets a final message. It can
        be retried.
      </p>
    </FormDialog>
  );
}

/**
 * Asks whether to retry a failed build.
 *
 * @param architecture the only one that is to be built again; undefined: all that failed
 */
export function RetryDialog({
  build,
  architecture,
  onClose,
  onDone,
}: Given & { architecture?: string | undefined }) {
  const { failure } = build;
  // It is that of one architecture; another may have failed for another reason.
  const concerns = architecture === undefined || failure?.architecture === architecture;
  const act = async (_: FormData, key: string) => {
    const body = architecture === undefined ? {} : { architectures: [architecture] };
    await request('POST', `/api/v1/build/${build.id}/retry/`, { key, body });
    announce(
      `Build ${build.id} is retried${architecture === undefined ? '' : ` on ${architecture}`}`,
    );
    onDone();
  };
  return (
    <FormDialog
      title={`Retry build ${build.id}${architecture === undefined ? '' : ` on ${architecture}`}?`}
      doIt={`Start attempt ${build.attempt + 1}`}
      act={act}
      onClose={onClose}
    >
      <p>
        {architecture !== undefined
          ? `${architecture} alone is built again. The other architectures that failed are still failed, so the build ends failed, too.`
          : toRetryText(build)}
      </p>
      {failure && !failure.retryable && concerns && (
        <p class="note note-warn">
          This failure ({failure.class}) does not go away by itself: {failure.hint}
        </p>
      )}
    </FormDialog>
  );
}
