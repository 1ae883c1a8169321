import { messageOfPhase } from '../../domain/builds/progress.ts';
import { isPolled, type WorkerQueue } from '../../domain/service/worker-queue.ts';
import { failingStepText } from '../../domain/builds/step-words.ts';
import type { WaitingBuild } from '../../models/builds/waiting-builds.ts';

/**
 * Why a build makes no progress, in one sentence for an operator.
 *
 * @param queues undefined if Temporal does not answer
 */
export function whyWaiting(
  build: WaitingBuild,
  queues: readonly WorkerQueue[] | undefined,
): string {
  const { last_error: lastError } = build;
  if (lastError)
    return `${failingStepText(lastError)} since ${lastError.since}: ${lastError.message}`;
  const blocked = build.architecture_builds.find(({ state }) => state === 'dependency_wait');
  // What an earlier attempt has left counts only once the PPA shows it again.
  if (blocked && messageOfPhase(build.phase) === 'INPROGRESS')
    return `${blocked.package} on ${blocked.architecture} waits for ${blocked.dependencies ?? 'build dependencies'}`;
  if (build.phase === 'accepting') return 'the PPA has not shown the upload yet';
  if (build.phase === 'waiting_for_builder') return 'no builder of the PPA has taken it yet';
  if (build.phase === 'prerequisite_wait')
    return 'the PPA has not published yet what its other packages need';
  if (!queues) return 'Temporal does not answer; its workflow goes on when it does';
  if (!build.dispatched_at) return 'its workflow is about to be started';
  if (!queues.some(isPolled)) return 'no worker polls the queue; start one';
  const backlog = queues.reduce((sum, queue) => sum + queue.backlog, 0);
  if (backlog === 0) return 'no worker has taken it yet';
  return `the workers are busy: ${backlog === 1 ? '1 task waits' : `${backlog} tasks wait`} for them`;
}
