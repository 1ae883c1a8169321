import { failureOf } from '../domain/builds/failure.ts';
import type { Build } from '../models/builds/build.ts';
import { cancellerOf } from './canceller.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import type { RetryWaits } from './next-try.ts';
import { tellEach } from './tell-each.ts';

/**
 * Tells the workflows of cancelled builds. Where one has ended without a result, the build ends here. @throws as
 * tellEach
 */
export async function deliverCancellations(
  context: DispatchContext & { retry: RetryWaits },
  signal: AbortSignal,
): Promise<void> {
  const cancelled = await context.database.Build.undeliveredCancellations(BATCH_SIZE);
  await tellEach(context, cancelled, signal, (build) => deliver(context, build));
}

async function deliver(context: DispatchContext, build: Build): Promise<void> {
  const { workflows, logger } = context;
  const outcome = await workflows.signalCancel(build.workflowId, cancellerOf(build));
  if (outcome === 'ended')
    await endBuild(
      context,
      build,
      failureOf('internal', 'its workflow had ended without a result'),
    );
  await build.markCancellationDelivered();
  logger.info({ buildId: build.id, outcome }, 'cancellation delivered');
}
