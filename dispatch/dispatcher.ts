import { backoffMs } from '../timing/backoff.ts';
import { startPollingLoop, type PollingLoop } from '../timing/polling-loop.ts';
import { startBuilds } from './build-starter.ts';
import { Sweeper } from './sweeper.ts';
import { deliverCancellations } from './deliver-cancellations.ts';
import { deliverToLandings, endUnstartedLandings, startLandings } from './dispatch-landings.ts';
import { PoolKeeper, type PoolOptions } from './dispatch-pool.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { endUnstartedBuilds } from './end-unstarted-builds.ts';
import { RowFaults } from './row-faults.ts';

/** A round of the dispatcher does each of its steps once. */
type Step = { name: string; run: (signal: AbortSignal) => Promise<void> };

/** A step in which rows have failed waits by itself: how often in a row, and until when. Nobody sets that clock. */
type StepWait = { failures: number; untilMs: number };

/** Wakes the dispatcher, unless Temporal or the database has just failed, and stops it. */
export type Dispatcher = PollingLoop;

/**
 * Carries over to Temporal what the rows of builds, landings and the pool of PPAs say: starts the workflows of what was
 * accepted, tells them of cancellations and decisions, has the PPAs of the pool cleaned, and ends what lost its
 * workflow without a result. Everything is on the rows, so that nothing is lost while Temporal is down or the process
 * dies; several dispatchers share the work.
 *
 * @param options.intervalMs wait between polls where nothing wakes it
 * @param options.maxBackoffMs longest wait after failures, of the whole or of one row; each failure doubles it
 * @param options.sweepIntervalMs wait between searches for workflows that ended without a result
 * @param options.startMs time for a build or a landing to get its workflow; one that had none is ended
 * @param options.maxUntaken builds that may wait in Temporal for a worker at once
 * @param options.pool its PPAs, which are added at first, and how long a landing that failed keeps the one that it has
 * @param options.silenceMs Temporal is asked after the workflow of a row that was silent for so long
 * @param options.unwatchedMs a build polls its PPA by itself where nobody did for so long
 * @param options.ppaWatch whether PPAs are watched for all of their builds
 */
export function startDispatcher({
  intervalMs,
  maxBackoffMs,
  sweepIntervalMs,
  startMs,
  maxUntaken,
  pool,
  silenceMs,
  unwatchedMs,
  ppaWatch,
  ...context
}: DispatchContext & {
  intervalMs: number;
  maxBackoffMs: number;
  sweepIntervalMs: number;
  startMs: number;
  maxUntaken: number;
  pool: PoolOptions;
  silenceMs: number;
  unwatchedMs: number;
  ppaWatch: boolean;
}): Dispatcher {
  const retry = { firstMs: intervalMs, maxMs: maxBackoffMs };
  const own = { ...context, retry };
  const poolKeeper = new PoolKeeper(context, pool);
  const sweeper = new Sweeper(context, { sweepIntervalMs, silenceMs, unwatchedMs, ppaWatch });
  const steps: Step[] = [
    { name: 'end unstarted', run: (signal) => endUnstartedBuilds(context, startMs, signal) },
    {
      name: 'start',
      run: async (signal) => {
        if (await startBuilds(own, { startMs, maxUntaken }, signal)) dispatcher.wake();
      },
    },
    { name: 'cancel', run: (signal) => deliverCancellations(own, signal) },
    { name: 'start landings', run: (signal) => startLandings(own, signal) },
    // After the starts: what Temporal has already says so first.
    {
      name: 'end unstarted landings',
      run: (signal) => endUnstartedLandings(context, startMs, signal),
    },
    { name: 'tell landings', run: (signal) => deliverToLandings(own, signal) },
    { name: 'pool', run: (signal) => poolKeeper.run(signal) },
    { name: 'sweep', run: (signal) => sweeper.sweepWhenDue(signal) },
  ];
  const waits = new Map<string, StepWait>();
  const isDue = ({ name }: Step) => (waits.get(name)?.untilMs ?? 0) <= performance.now();
  const onRowFaults = ({ name }: Step, faults: RowFaults | undefined) => {
    if (!faults) {
      waits.delete(name);
      return;
    }
    const failures = (waits.get(name)?.failures ?? 0) + 1;
    const waitMs = backoffMs(failures, retry);
    waits.set(name, { failures, untilMs: performance.now() + waitMs });
    context.logger.warn(
      { err: faults, step: name, failures, waitMs },
      'some rows wait; will retry',
    );
  };
  const dispatcher = startPollingLoop({
    intervalMs,
    maxBackoffMs,
    poll: (signal) => runSteps(steps.filter(isDue), signal, onRowFaults),
    onError: (error, { failures, waitMs }) =>
      context.logger.warn(
        { err: error, failures, waitMs },
        'could not carry rows over to Temporal; will retry',
      ),
  });
  return dispatcher;
}

/**
 * @param onRowFaults is told of each step that came to its end, and of the rows that failed in it
 * @throws AggregateError of the steps that failed; none of them keeps the others from their turn
 */
async function runSteps(
  steps: readonly Step[],
  signal: AbortSignal,
  onRowFaults: (step: Step, faults: RowFaults | undefined) => void,
): Promise<void> {
  const failed: { name: string; error: unknown }[] = [];
  for (const step of steps) {
    if (signal.aborted) return;
    try {
      await step.run(signal);
      onRowFaults(step, undefined);
    } catch (error) {
      if (error instanceof RowFaults) onRowFaults(step, error);
      else failed.push({ name: step.name, error });
    }
  }
  if (failed.length > 0)
    throw new AggregateError(
      failed.map(({ error }) => error),
      `failed: ${failed.map(({ name }) => name).join(', ')}`,
    );
}
