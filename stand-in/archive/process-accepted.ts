import type { ArchiveState } from './archive-state.ts';
import { now } from './records.ts';

/**
 * Gives publications to what builds have uploaded, where that is due. At Launchpad it is the script `process-accepted`
 * that does so, some minutes after a build is Successfully built, and whatever became of its source since.
 */
export function processAccepted(state: ArchiveState, atMs = Date.now()): void {
  for (const { accepted, ...build } of state.builds()) {
    if (!accepted || atMs < Date.parse(accepted.dueAt)) continue;
    state.transact(({ nextId, put }) => {
      for (const publication of accepted.publications)
        put('binary', { ...publication, createdAt: now(), id: nextId() });
      put('build', build);
    });
  }
}
