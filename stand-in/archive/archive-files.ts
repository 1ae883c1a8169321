import { join } from 'node:path';
import { ARCHIVE_ADDRESS, referenceAt } from './archive-address.ts';
import type { ArchiveState } from './archive-state.ts';
import type { Layout } from './layout.ts';

export type FileLookup = {
  /** The address in the librarian that Launchpad redirects a file's address to. */
  redirect(path: string): string | undefined;
  /** The file that a path of the librarian or of an apt repository stands for. */
  path(path: string): string | undefined;
};

const NAME = String.raw`[A-Za-z0-9][A-Za-z0-9.+~:_-]*`;
const ARCHIVE = `/${ARCHIVE_ADDRESS}`;
const BUILD_FILE = new RegExp(String.raw`^${ARCHIVE}/\+build/(\d{1,15})/\+files/(${NAME})$`);
const ARCHIVE_FILE = new RegExp(String.raw`^${ARCHIVE}/\+files/(${NAME})$`);
const SOURCE_FILE = new RegExp(
  String.raw`^${ARCHIVE}/\+sourcefiles/(${NAME})/(${NAME})/(${NAME})$`,
);
const LIBRARIAN = new RegExp(String.raw`^/\+librarian/(build|source|binary)/(\d{1,15})/(${NAME})$`);
const REPOSITORY = new RegExp(
  String.raw`^/apt/(${NAME}(?:/${NAME}){2}/(?:dists|pool)(?:/${NAME})+)$`,
);
const PRIMARY_REPOSITORY = new RegExp(String.raw`^/archive/(${NAME}/(?:dists|pool)(?:/${NAME})+)$`);

/** Finds files by their public addresses. Only names that a record holds are ever looked for. */
export function createFileLookup(state: ArchiveState, layout: Layout): FileLookup {
  return {
    redirect(path) {
      const ofBuild = BUILD_FILE.exec(path);
      if (ofBuild) {
        const [, address = '', id, file] = ofBuild;
        const build = state.build(Number(id));
        return build?.archive === referenceAt(address)
          ? `/+librarian/build/${id}/${file}`
          : undefined;
      }
      const [, address = '', ...rest] = SOURCE_FILE.exec(path) ?? ARCHIVE_FILE.exec(path) ?? [];
      const archive = referenceAt(address);
      const file = rest.at(-1);
      if (archive === undefined || file === undefined) return undefined;
      const source = state
        .sources(archive)
        .find(({ changes, files }) =>
          rest.length > 1 ? files.some((one) => one.name === file) : changes.name === file,
        );
      if (source) return `/+librarian/source/${source.id}/${file}`;
      const binary = state.binaries(archive).find((one) => one.file.name === file);
      return binary && `/+librarian/binary/${binary.id}/${file}`;
    },
    path(path) {
      const inRepository = REPOSITORY.exec(path)?.[1];
      if (inRepository !== undefined) return join(layout.aptDir, inRepository);
      const inPrimary = PRIMARY_REPOSITORY.exec(path)?.[1];
      if (inPrimary !== undefined) return join(layout.primaryDir, inPrimary);
      const [, kind, id = '', file = ''] = LIBRARIAN.exec(path) ?? [];
      switch (kind) {
        case 'build': {
          const build = state.build(Number(id));
          const names = [build?.log, build?.uploadLog, build?.changes, build?.buildinfo];
          return build && names.includes(file) ? layout.buildFile(build.id, file) : undefined;
        }
        case 'source': {
          const source = state.source(Number(id));
          if (source?.changes.name === file) return layout.changesFile(source.archive, file);
          return source?.files.some((one) => one.name === file)
            ? layout.poolFile(source.archive, source.source, file)
            : undefined;
        }
        case 'binary': {
          const binary = state.binary(Number(id));
          return binary?.file.name === file
            ? layout.poolFile(binary.archive, binary.source, file)
            : undefined;
        }
        default:
          return undefined;
      }
    },
  };
}
