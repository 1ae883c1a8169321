/** A version of a source package. */
export type PackageVersion = { source: string; version: string };

/** A source package whose files are fetched and checked. */
export type CheckedPackage = {
  source: string;
  version: string;
  /** Every file to upload, the `.changes` last. */
  files: SourceFile[];
};

/** One file of a source package, as the data store has it. */
export type SourceFile = {
  name: string;
  url: string;
  sizeBytes: number;
  sha256: string;
  /** Of a file in our own data store: names this content; no other content of its key has it. */
  storeVersion?: string;
};

/** A plain name of a `.changes`: nothing of it acts in an address, a header, a log or Markdown. */
const CHANGES_NAME =
  /^([A-Za-z0-9][A-Za-z0-9.+~-]*)_([A-Za-z0-9.+~-]+)(?:_[A-Za-z0-9.+~_-]*)?\.changes$/;

/**
 * The names and versions that a request's `.changes` URLs say it holds (`<source>_<version>_<kind>.changes`): by the
 * last part of the path alone, since a query may hold anything.
 */
export function namedSources(sourcePackages: readonly string[]): string[] {
  return sourcePackages.flatMap((url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const name = decoded(path.slice(path.lastIndexOf('/') + 1));
    const [, source, version] = CHANGES_NAME.exec(name) ?? [];
    return source === undefined ? [] : [`${source} ${version}`];
  });
}

/**
 * The packages of a request that a retry may ask the PPA to build again; undefined unless each source package of the
 * request is among them, so that none is left out.
 *
 * @param builds what an earlier attempt saw in the PPA
 */
export function packagesInPpa(
  sourcePackages: readonly string[],
  builds: readonly { package: string; version: string }[],
): PackageVersion[] | undefined {
  const packages = new Map(
    builds.map(({ package: source, version }) => [`${source} ${version}`, { source, version }]),
  );
  const all = namedSources(sourcePackages).length;
  return all > 0 && packages.size === all ? [...packages.values()] : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
