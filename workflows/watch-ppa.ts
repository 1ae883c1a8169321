import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { JOIN_SIGNAL, type WatchPpaInput, type WatchStatus } from '../domain/builds/ppa-watch.ts';
import { STATUS_QUERY } from '../domain/builds/build-workflow.ts';
import { HEARTBEAT_MS, TRANSIENT_FAULTS } from './activity-options.ts';
import { pollDelayMs } from './poll-schedule.ts';
import { limitsOf } from './signal-arguments.ts';

const joinSignal = defineSignal<[limits?: unknown]>(JOIN_SIGNAL);
const statusQuery = defineQuery<WatchStatus>(STATUS_QUERY);

// A round asks for many builds; what it has done of one that breaks off is done.
const ROUND_MS = 600_000;

/**
 * Watches a PPA for all builds that wait there: one round of requests for all of them. It begins with the first of
 * them, ends with the last, and fails for nothing: a round that fails is a round that comes later.
 *
 * After a build has joined, rounds come as often as for a build alone: first after `pollInitialMs`, then ever more
 * seldom up to `pollMaxMs`.
 *
 * @returns the rounds of its last run
 */
export async function WatchPpaWorkflow(input: WatchPpaInput): Promise<{ rounds: number }> {
  const { ppa } = input;
  let { limits, quietRounds = 0 } = input;
  let hasJoined = false;
  let watched = 0;
  let rounds = 0;
  setHandler(statusQuery, () => ({ watched, rounds }));
  setHandler(joinSignal, (now) => {
    limits = limitsOf(now) ?? limits;
    hasJoined = true;
  });
  for (;;) {
    const delayMs = pollDelayMs(limits, quietRounds, Infinity);
    // One that joins brings the next round nearer, and no later one puts it off.
    if (hasJoined || (await condition(() => hasJoined, delayMs)))
      await sleep(Math.min(limits.pollInitialMs, delayMs));
    quietRounds = hasJoined ? 0 : quietRounds + 1;
    hasJoined = false;
    watched = await round(ppa, watched);
    rounds += 1;
    setCurrentDetails(`Builds that wait here: ${watched}. Rounds in this run: ${rounds}.`);
    if (watched === 0 && !hasJoined) return { rounds };
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    // Temporal refuses to end a run that is signalled meanwhile, and builds seldom join alone.
    const isLong = historyLength >= limits.historyMaxEvents && !hasJoined;
    if (!isLong && !continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof WatchPpaWorkflow>({
      ppa,
      limits,
      quietRounds: hasJoined ? 0 : quietRounds,
    });
  }
}

/** @returns how many builds wait in the PPA; as many as before where the round fails */
async function round(ppa: WatchPpaInput['ppa'], before: number): Promise<number> {
  const { watchPpa } = proxyActivities<Activities>({
    summary: `poll for ${before} builds`,
    startToCloseTimeout: ROUND_MS,
    heartbeatTimeout: HEARTBEAT_MS,
    retry: { ...TRANSIENT_FAULTS, maximumAttempts: 5 },
  });
  try {
    return (await watchPpa({ ppa })).watched;
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return Math.max(before, 1);
    throw error;
  }
}
