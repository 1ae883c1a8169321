/** A version of a source package. */
export type PackageVersion = { source: string; version: string };

/** A source package as a PPA is asked about it. */
export type DescribedPackage = PackageVersion & {
  files: Pick<SourceFile, 'name' | 'sha256'>[];
  /** Upstream's files that its `.dsc` lists and its upload leaves out; unset where there are none, or nobody told. */
  leftOut?: Pick<SourceFile, 'name' | 'sha256'>[];
  /** Who signed the `.changes`; unset where the signature cannot be read, and in what older workflows have checked. */
  signer?: Signer;
};

/** A source package whose files are fetched and checked. */
export type CheckedPackage = Omit<DescribedPackage, 'files'> & {
  /** Every file to upload, the `.changes` last. */
  files: SourceFile[];
  /** Its place among the packages of its request; only where that asks for an order. */
  place?: PlaceInOrder;
};

/** Where a source package comes in the order of its request. */
export type PlaceInOrder = {
  /** 0 where it needs none of the others; else one more than the highest of those that it needs. */
  level: number;
  /** The source packages whose binaries it build-depends on, by their places in the list. */
  after: number[];
};

/** Who signed a source package, as it says itself. */
export type Signer = {
  /** As `signatureIssuer` gives it. */
  key: string;
  /** The e-mail address in Changed-By, the likeliest to be the signer's; null where it has none that can be one. */
  email: string | null;
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

/** A name of a source package (Debian Policy 5.6.1); longer ones than 100 characters do not exist. */
export const SOURCE_NAME = /^[a-z0-9][a-z0-9+.-]{1,99}$/;

/** A version of a source package (Debian Policy 5.6.12). */
export const SOURCE_VERSION = /^(?:\d+:)?\d[A-Za-z0-9.+~-]*$/;

/**
 * A plain file name: nothing of it acts in an address, a header, a log, a shell or Markdown. Upload servers, file
 * systems and data stores take no longer names.
 */
export const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9.+~_-]{0,254}$/;

const CHANGES_NAME =
  /^(?<source>[A-Za-z0-9][A-Za-z0-9.+~-]*)_(?<version>[A-Za-z0-9.+~-]+)_[A-Za-z0-9.+~-]+\.changes$/;
const DSC_NAME = /^(?<source>[A-Za-z0-9][A-Za-z0-9.+~-]*)_(?<version>[A-Za-z0-9.+~-]+)\.dsc$/;

/** Whether a file is of upstream's, by its name: a tarball or its signature, which all revisions of a version share. */
export function isUpstreamFile(name: string): boolean {
  return /\.orig(?:-[A-Za-z0-9-]+)?\.tar\./.test(name);
}

/** All that a source package is made of: the files of its upload, and those that this leaves out. */
export function allFilesOf({ files, leftOut = [] }: DescribedPackage): DescribedPackage['files'] {
  return [...files, ...leftOut];
}

/** What a `.changes` is of by its name, `<source>_<version>_<kind>.changes`. The version has no epoch there. */
export function parseChangesName(fileName: string): PackageVersion | undefined {
  return packageOf(CHANGES_NAME.exec(fileName));
}

/** What a `.dsc` is of by its name, `<source>_<version>.dsc`. The version has no epoch there. */
export function parseDscName(fileName: string): PackageVersion | undefined {
  return packageOf(DSC_NAME.exec(fileName));
}

/** A version as file names have it: without its epoch. */
export function fileVersion(version: string): string {
  return version.replace(/^\d+:/, '');
}

/** How the names of a version's files begin: `<source>_<version>`. */
export function fileStem({ source, version }: PackageVersion): string {
  return `${source}_${fileVersion(version)}`;
}

/**
 * The last part of a URL's path, decoded where it can be: a name to compare or to check with FILE_NAME. Empty where the
 * path ends in a slash. The query is left out, since it may hold anything.
 */
export function fileNameOfUrl(url: string): string {
  const [address = ''] = url.split(/[?#]/, 1);
  const path = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The source packages that a request holds, by the names of its `.changes` files; their versions lack the epoch. */
export function namedSources(urls: readonly string[]): PackageVersion[] {
  return urls.flatMap((url) => parseChangesName(fileNameOfUrl(url)) ?? []);
}

/** Whether files are those of this very source package: a `.changes` among them names it. */
export function areFilesOf(wanted: PackageVersion, files: readonly string[]): boolean {
  const stem = fileStem(wanted);
  return namedSources(files).some((named) => fileStem(named) === stem);
}

/** A source package as people read it, such as `hello 2.10-3`. */
export function shownPackage({ source, version }: PackageVersion): string {
  return `${source} ${version}`;
}

/**
 * The packages of a request that a retry may ask the PPA to build again; undefined unless each source package of the
 * request is among them, so that none is left out.
 *
 * @param builds what an earlier attempt saw in the PPA
 */
export function packagesInPpa(
  urls: readonly string[],
  builds: readonly { package: string; version: string }[],
): PackageVersion[] | undefined {
  const packages = new Map(
    builds
      .map(({ package: source, version }) => ({ source, version }))
      .map((each) => [shownPackage(each), each]),
  );
  const expected = namedSources(urls).length;
  return expected > 0 && packages.size === expected ? [...packages.values()] : undefined;
}

function packageOf(match: RegExpExecArray | null): PackageVersion | undefined {
  const { source, version } = match?.groups ?? {};
  return source === undefined || version === undefined ? undefined : { source, version };
}
