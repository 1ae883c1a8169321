import type { ArchiveState, Transaction } from './archive-state.ts';
import { isActive, now, supersedeBuilds, type Publication } from './records.ts';
import { binariesOf } from './releases.ts';

/**
 * Deletes a source and its packages, or one package, from its suite, as `requestDeletion`: at once in the records, and
 * in the apt indexes with the next round of the publisher. Builds of the source that have not begun never do.
 */
export function deletePublication(
  state: ArchiveState,
  { put }: Transaction,
  publication: Publication,
  removalComment: string | null,
): void {
  const deleted = { status: 'Deleted', supersededAt: now() } as const;
  if ('buildId' in publication) {
    put('binary', { ...publication, ...deleted });
    return;
  }
  put('source', { ...publication, ...deleted, removalComment });
  for (const binary of binariesOf(state, publication).filter(isActive))
    put('binary', { ...binary, ...deleted });
  for (const build of supersedeBuilds(state.buildsOfSource(publication.id))) put('build', build);
}
