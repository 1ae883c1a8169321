import { latestFilesOf } from '../packages/source-file.ts';

/** A subticket as far as its files go, as the full ticket of the API has it. */
type SubticketWithFiles = {
  readonly resource_uri: string;
  readonly replaced_by: string | null;
  readonly source_package_upload: {
    readonly version: string;
    readonly sourcepackage: { readonly name: string };
  } | null;
  readonly artifacts: readonly { readonly type: string; readonly reference: string }[];
};

/** A build as far as its files go. */
type BuildWithFiles = {
  readonly id: number;
  readonly subticket: string | null;
  readonly source_packages: readonly string[];
};

/**
 * The URLs of the files that a ticket's source packages are made of, each once: the SPU artifacts of its subtickets
 * that nothing replaces. Of a merge proposal, the artifacts are those of all its builds: here are those of the build
 * that made the version that the subticket stands for.
 *
 * @param builds those of the ticket; unset where none is of a merge proposal
 */
export function sourceUrlsOf(
  subtickets: readonly SubticketWithFiles[],
  builds: readonly BuildWithFiles[] = [],
): string[] {
  const urls = subtickets
    .filter(({ replaced_by: other }) => other === null)
    .flatMap((one) => madeOf(one, builds) ?? artifactsOf(one));
  return [...new Set(urls)];
}

function madeOf(
  { resource_uri: uri, source_package_upload: upload }: SubticketWithFiles,
  builds: readonly BuildWithFiles[],
): readonly string[] | undefined {
  if (!upload) return undefined;
  const wanted = { source: upload.sourcepackage.name, version: upload.version };
  const own = builds
    .filter(({ subticket }) => subticket === uri)
    .toSorted((one, other) => one.id - other.id);
  return latestFilesOf(
    own.map(({ source_packages: files }) => files),
    wanted,
  );
}

function artifactsOf({ artifacts }: SubticketWithFiles): string[] {
  return artifacts.filter(({ type }) => type === 'SPU').map(({ reference }) => reference);
}
