import { Context } from '@temporalio/activity';

const MIN_MS = 50;
const MAX_MS = 5_000;

/**
 * Heartbeats at a quarter of the activity's heartbeat time-out while `work` runs, whatever it waits for, so that
 * only a dead worker misses one and a cancellation arrives soon.
 *
 * @param details what an operator sees, and what the next try gets; read at each heartbeat
 * @param work gets the cancellation signal
 * @throws CancelledFailure where the activity was cancelled; else what `work` throws
 */
export async function whileHeartbeating<T>(
  details: () => unknown,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const beat = () => context.heartbeat(details());
  try {
    return await beating(beat, () => work(context.cancellationSignal));
  } finally {
    if (context.info.heartbeatTimeoutMs) beat();
  }
}

/**
 * Makes an activity heartbeat that has nothing to tell the next try, and that is mostly over before the first heartbeat
 * is due: one that hangs, or whose worker has died, is noticed soon. What the try before has told is told again, so
 * that a step of an activity that has more to tell loses none of it.
 */
export function heartbeating<I, R>(activity: (input: I) => Promise<R>): (input: I) => Promise<R> {
  return (input) => {
    const context = Context.current();
    return beating(
      () => context.heartbeat(context.info.heartbeatDetails),
      () => activity(input),
    );
  };
}

async function beating<T>(beat: () => void, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  const intervalMs = Math.min(Math.max((heartbeatTimeoutMs ?? 0) / 4, MIN_MS), MAX_MS);
  const timer = heartbeatTimeoutMs ? setInterval(beat, intervalMs) : undefined;
  try {
    return await work();
  } catch (error) {
    if (context.cancellationSignal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearInterval(timer);
  }
}
