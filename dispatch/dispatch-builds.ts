import { startPollingLoop, type PollingLoop } from '../timing/polling-loop.ts';
import { BuildStarter } from './build-starter.ts';
import { BuildSweeper } from './build-sweeper.ts';
import { deliverCancellations } from './deliver-cancellations.ts';
import { deliverToLandings, startLandings } from './dispatch-landings.ts';
import { PoolKeeper, type PoolOptions } from './dispatch-pool.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { endUnstartedBuilds } from './end-unstarted-builds.ts';

/** A round of the dispatcher does each of its steps once. */
type Step = { name: string; run: (signal: AbortSignal) => Promise<void> };

/** Wakes the dispatcher, unless Temporal or the database has just failed, and stops it. */
export type Dispatcher = PollingLoop;

/**
 * Carries over to Temporal what the build rows say: starts the workflows of accepted builds, delivers
 * cancellations, and ends builds whose workflow ended without a result. Everything is on the rows, so that nothing is
 * lost while Temporal is down or the process dies; several dispatchers share the work.
 *
 * @param options.intervalMs wait between polls where nothing wakes it
 * @param options.maxBackoffMs longest wait after failures; each failure doubles it
 * @param options.sweepIntervalMs wait between searches for workflows that ended without a result
 * @param options.startMs time for a build to get its workflow; a build that had none has timed out
 * @param options.pool its PPAs, which are added at first, and how long a landing that failed keeps the one that it has
 * @param options.silenceMs Temporal is asked after the workflow of a build that was silent for so long
 */
export function startDispatcher({
  intervalMs,
  maxBackoffMs,
  sweepIntervalMs,
  startMs,
  pool,
  silenceMs,
  ...context
}: DispatchContext & {
  intervalMs: number;
  maxBackoffMs: number;
  sweepIntervalMs: number;
  startMs: number;
  pool: PoolOptions;
  silenceMs: number;
}): Dispatcher {
  const starter = new BuildStarter(context);
  const poolKeeper = new PoolKeeper(context, pool);
  const sweeper = new BuildSweeper(context, { sweepIntervalMs, silenceMs });
  const steps: Step[] = [
    { name: 'end unstarted', run: (signal) => endUnstartedBuilds(context, startMs, signal) },
    { name: 'start', run: (signal) => starter.startAll(signal) },
    { name: 'cancel', run: (signal) => deliverCancellations(context, signal) },
    { name: 'start landings', run: (signal) => startLandings(context, signal) },
    { name: 'tell landings', run: (signal) => deliverToLandings(context, signal) },
    { name: 'pool', run: (signal) => poolKeeper.run(signal) },
    { name: 'sweep', run: (signal) => sweeper.sweepWhenDue(signal) },
  ];
  return startPollingLoop({
    intervalMs,
    maxBackoffMs,
    poll: (signal) => runSteps(steps, signal),
    onError: (error, { failures, waitMs }) =>
      context.logger.warn(
        { err: error, failures, waitMs },
        'could not carry builds over to Temporal; will retry',
      ),
  });
}

/** @throws AggregateError of the steps that failed; none of them keeps the others from their turn */
async function runSteps(steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const failed: { name: string; error: unknown }[] = [];
  for (const { name, run } of steps) {
    if (signal.aborted) return;
    try {
      await run(signal);
    } catch (error) {
      failed.push({ name, error });
    }
  }
  if (failed.length > 0)
    throw new AggregateError(
      failed.map(({ error }) => error),
      `failed: ${failed.map(({ name }) => name).join(', ')}`,
    );
}
