import { failureOf } from '../domain/failure.ts';
import type { Build } from '../models/build.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import { nextTry, type RetryWaits } from './next-try.ts';
import { isTemporalUnavailable } from './temporal-errors.ts';

/**
 * Tells the workflows of cancelled builds. Where one has ended without a result, the build ends here. One that cannot be
 * told is tried again by itself, after a wait of its own.
 *
 * @throws what says that Temporal or the database is unavailable
 */
export async function deliverCancellations(
  context: DispatchContext & { retry: RetryWaits },
  signal: AbortSignal,
): Promise<void> {
  for (const build of await context.database.Build.undeliveredCancellations(BATCH_SIZE)) {
    signal.throwIfAborted();
    try {
      await deliver(context, build);
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      await build.postpone(nextTry(context, build, error).until);
    }
  }
}

async function deliver(context: DispatchContext, build: Build): Promise<void> {
  const { workflows, logger } = context;
  const requestedBy = build.cancelRequestedBy ?? 'an unnamed caller';
  const outcome = await workflows.signalCancel(build.workflowId, requestedBy);
  if (outcome === 'ended')
    await endBuild(
      context,
      build,
      failureOf('internal', 'its workflow had ended without a result'),
    );
  await build.cancellationDelivered();
  logger.info({ buildId: build.id, outcome }, 'cancellation delivered');
}
