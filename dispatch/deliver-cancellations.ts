import { failureOf } from '../domain/failure.ts';
import { forEachBuild } from './build-fault.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';

/** Tells the workflows of cancelled builds. Where one has ended without a result, the build ends here. */
export async function deliverCancellations(
  context: DispatchContext,
  signal: AbortSignal,
): Promise<void> {
  const { database, workflows, logger } = context;
  const cancelled = await database.Build.undeliveredCancellations(BATCH_SIZE);
  await forEachBuild(cancelled, signal, async (build) => {
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
  });
}
