import { fileStem } from '../../domain/packages/source-file.ts';
import type { ArchiveState } from './archive-state.ts';
import { now } from './records.ts';
import type { ScriptFile } from '../script/script.ts';

/** Puts into the primary archives what the script says that others have published there. */
export function fillArchives(state: ArchiveState, script: ScriptFile | undefined): void {
  for (const [archive, { published }] of Object.entries(script?.archives() ?? {}))
    for (const { source, version, series, pocket } of published) {
      const isThere = state
        .sources(archive)
        .some(
          (one) =>
            one.source === source &&
            one.version === version &&
            one.series === series &&
            one.pocket === pocket,
        );
      if (isThere) continue;
      state.transact(({ nextId, put }) => {
        const id = nextId();
        put('source', {
          id,
          archive,
          releaseId: id,
          source,
          version,
          series,
          pocket,
          component: 'main',
          section: 'misc',
          status: 'Pending',
          createdAt: now(),
          publishedAt: null,
          supersededAt: null,
          removedAt: null,
          removalComment: null,
          signer: '',
          changedBy: '',
          uploadId: null,
          changes: {
            name: `${fileStem({ source, version })}_source.changes`,
            sizeBytes: 0,
            sha256: '',
          },
          files: [],
        });
      });
    }
}
