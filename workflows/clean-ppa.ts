import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { CleaningInput } from '../domain/landings/pool-ppa.ts';
import {
  ASK_ALL_MS,
  ASK_MS,
  HEARTBEAT_MS,
  rowActivities,
  TRANSIENT_FAULTS,
} from './activity-options.ts';
import { maxPollDelayMs } from './poll-schedule.ts';

/**
 * Empties a PPA of the pool that a landing has given back, or that somebody has added, and waits until its apt
 * repository is empty, too. Then it is free; where that fails, it is quarantined with the reason.
 *
 * @returns `problem`: why it is quarantined; null where it is free
 */
export async function CleanPpaWorkflow(input: CleaningInput): Promise<{ problem: string | null }> {
  const { poolPpaId, cleaning } = input;
  const { endCleaning } = rowActivities('how it ended');
  const problem = await problemOf(input);
  await CancellationScope.nonCancellable(() => endCleaning({ poolPpaId, cleaning, problem }));
  return { problem };
}

/** Empties it. @returns why it cannot be lent; null where it can */
async function problemOf(input: CleaningInput): Promise<string | null> {
  try {
    return await empty(input);
  } catch (error) {
    if (isCancellation(error)) return 'its cleaning was cancelled in Temporal';
    if (error instanceof ActivityFailure)
      return `it could not be emptied: ${error.cause?.message ?? error.message}`;
    throw error;
  }
}

async function empty({ limits, ...cleaning }: CleaningInput): Promise<string | null> {
  const endsAtMs = Date.now() + limits.cleanMs;
  const maxPollMs = maxPollDelayMs(limits.cleanMs);
  let { readsPast } = cleaning;
  for (let waitMs = limits.pollMs; ; waitMs = Math.min(waitMs * 2, maxPollMs)) {
    const { emptyPpa } = proxyActivities<Activities>({
      summary: 'whether it is empty',
      scheduleToCloseTimeout: Math.max(endsAtMs - Date.now(), ASK_MS),
      // All of its past is read, and its packages are deleted one by one.
      startToCloseTimeout: ASK_ALL_MS,
      heartbeatTimeout: HEARTBEAT_MS,
      retry: TRANSIENT_FAULTS,
    });
    const answer = await emptyPpa({ ...cleaning, readsPast });
    if ('problem' in answer) return answer.problem;
    if ('isClean' in answer) return null;
    readsPast = false;
    setCurrentDetails(`Waits for ${answer.waitsFor}.`);
    const leftMs = endsAtMs - Date.now();
    if (leftMs <= 0) return `it waited too long for ${answer.waitsFor}`;
    await sleep(Math.min(waitMs, leftMs));
  }
}
