import { useRef } from 'preact/hooks';
import { announce } from '../announce.ts';
import { isOnItsWay, canRetry } from '../build/cancel-and-retry.ts';
import { FormDialog } from '../components/dialog.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { counted } from '../format.ts';
import type { Buildsummary } from '../server/api-types.ts';
import { sayOfIdempotencyKey } from '../server/idempotency-key.ts';
import { asRequestError, request, RequestError } from '../server/request.ts';
import { buildLabel } from '../states.ts';

/** What can be asked of several builds at once. */
export type Bulk = 'retry' | 'cancel';

/** Whether a build can be retried or cancelled as it is. */
export function isOpenTo(bulk: Bulk, build: Buildsummary): boolean {
  return bulk === 'retry' ? canRetry(build) : isOnItsWay(build);
}

const WORDS = {
  retry: { title: 'Retry', done: 'retried', cannot: 'did not fail' },
  cancel: { title: 'Cancel', done: 'told to stop', cannot: 'ended already, or will' },
} as const;

/** Shows what would be done to which builds, and does it, one after the other. */
export function BulkDialog({
  bulk,
  chosen,
  onClose,
  onDone,
}: {
  bulk: Bulk;
  chosen: readonly Buildsummary[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { title, done, cannot } = WORDS[bulk];
  // What is shown is what was decided on: the list goes on changing under the dialog.
  const affected = useRef(chosen.filter((build) => isOpenTo(bulk, build))).current;
  const leftOut = useRef(chosen.length - affected.length).current;
  const dealtWith = useRef(new Set<number>()).current;
  const hopeless = affected.filter(({ failure }) => failure && !failure.retryable);

  // One key is enough: what is done under it is another thing at each address.
  const act = async (_: FormData, key: string) => {
    const refused: string[] = [];
    let last: RequestError | undefined;
    for (const { id } of affected) {
      if (dealtWith.has(id)) continue;
      try {
        const body = bulk === 'retry' ? { body: {} } : {};
        await request('POST', `/api/v1/build/${id}/${bulk}/`, { key, ...body });
        dealtWith.add(id);
      } catch (error) {
        last = sayOfIdempotencyKey(asRequestError(error));
        refused.push(`Build ${id}: ${last.message}`);
        if (last.isUnavailable) break;
      }
    }
    onDone();
    announce(`${counted(dealtWith.size, 'build')} ${done}`);
    if (last)
      throw new RequestError({
        status: last.status,
        // Of its own: the code of one build is not that of the others, which have the same key.
        code: 'some_refused',
        message: `${dealtWith.size} of ${affected.length} are ${done}. ${refused.join(' ')}`,
        hint: last.hint,
      });
  };
  return (
    <FormDialog
      title={`${title} ${counted(affected.length, 'build')}?`}
      doIt={`${title} ${counted(affected.length, 'build')}`}
      leaveIt="Not now"
      isDangerous={bulk === 'cancel'}
      act={act}
      onClose={onClose}
    >
      <ul class="preview" tabIndex={0} aria-label="Builds">
        {affected.map((build) => (
          <li key={build.id}>
            <span class="number">{build.id}</span>
            <span class="cut">{build.packages.join(', ')}</span>
            <StateBadge isPlain label={buildLabel(build)} />
          </li>
        ))}
      </ul>
      {leftOut > 0 && (
        <p class="muted">
          {counted(leftOut, 'other')} that you chose {cannot}, and {leftOut === 1 ? 'is' : 'are'}{' '}
          left as {leftOut === 1 ? 'it is' : 'they are'}.
        </p>
      )}
      {bulk === 'retry' && hopeless.length > 0 && (
        <p class="note note-warn">
          {counted(hopeless.length, 'of them has', 'of them have')} a failure that does not go away
          by itself.
        </p>
      )}
    </FormDialog>
  );
}
