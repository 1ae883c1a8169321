import { areFilesOf } from '../packages/source-file.ts';

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
    .flatMap((one) => buildThatMade(one, builds)?.source_packages ?? artifactsOf(one));
  return [...new Set(urls)];
}

/**
 * The build that made the version that a subticket stands for of its merge proposal: the latest of several. Undefined
 * where none has.
 *
 * @param builds those of its ticket
 */
export function buildThatMade<B extends BuildWithFiles>(
  {
    resource_uri: uri,
    source_package_upload: upload,
  }: Pick<SubticketWithFiles, 'resource_uri' | 'source_package_upload'>,
  builds: readonly B[],
): B | undefined {
  if (!upload) return undefined;
  const wanted = { source: upload.sourcepackage.name, version: upload.version };
  return builds
    .filter(
      ({ subticket, source_packages: files }) => subticket === uri && areFilesOf(wanted, files),
    )
    .toSorted((one, other) => one.id - other.id)
    .at(-1);
}

function artifactsOf({ artifacts }: SubticketWithFiles): string[] {
  return artifacts.filter(({ type }) => type === 'SPU').map(({ reference }) => reference);
}
