import { fail, parseControl, quote, type Fields } from './control-file.ts';
import { readMadeBinaries, type MadeBinary } from './made-binary.ts';
import { signatureIssuer } from './signature-issuer.ts';
import {
  FILE_NAME,
  isUpstreamFile,
  SOURCE_NAME,
  SOURCE_VERSION,
  type DescribedPackage,
  type Signer,
} from './source-file.ts';

/** One file that a `.changes` or `.dsc` lists. */
export type ListedFile = {
  name: string;
  sizeBytes: number;
  md5: string;
  sha1: string;
  sha256: string;
};

/** One file that a `.changes` lists. */
export type ChangesFile = ListedFile & {
  /** Of the archive, such as `devel` or `universe/devel`; `-` where the source names none. */
  section: string;
};

/** What a `.changes` says (Debian Policy 5.5). */
export type Changes = {
  isSigned: boolean;
  source: string;
  version: string;
  distribution: string;
  architectures: string[];
  changedBy: string;
  files: ChangesFile[];
};

/** What a `.dsc` says (Debian Policy 5.4). */
export type SourceControl = {
  isSigned: boolean;
  /** 1.0 where it is missing, as at Launchpad. */
  format: string;
  source: string;
  version: string;
  architectures: string[];
  files: ListedFile[];
  binaries: MadeBinary[];
  /** The field Testsuite, which dpkg-source writes where there are tests; empty where it is missing. */
  testsuite: string;
  /** The fields that say what it needs to be built, unread; empty where it has none. */
  buildDepends: Record<BuildDependsField, string>;
};

/** The fields of a `.dsc` that say what it needs to be built (Debian Policy 7.7). */
export const BUILD_DEPENDS_FIELDS = [
  'Build-Depends',
  'Build-Depends-Arch',
  'Build-Depends-Indep',
] as const;

type BuildDependsField = (typeof BUILD_DEPENDS_FIELDS)[number];

const SIZE = /^(?:0|[1-9]\d{0,14})$/;
/** A source package has a handful of files; one with a tarball for each of many components a few dozen. */
const MAX_FILES = 1_000;
/** No address that mail can be sent to is longer (RFC 5321, section 4.5.3.1.3). */
const MAX_ADDRESS_LENGTH = 254;
/**
 * Words of a line in a field that lists files: checksum, size and name, in `.changes` `Files` section and priority,
 * too.
 */
const WORDS = 3;
const WORDS_OF_CHANGES = 5;

/**
 * Reads a `.changes`, clear-signed or not. The signature is not verified, only seen.
 *
 * @throws AirlineError `malformed_control_file`
 */
export function parseChanges(text: string, name = '.changes'): Changes {
  const { isSigned, fields } = parseControl(text, name);
  const format = field(fields, 'Format', name);
  if (!/^1\.[5-8]$/.test(format)) fail(name, `Format ${quote(format)} is not 1.5 to 1.8`);
  const sections = sectionsOf(fields);
  return {
    isSigned,
    ...sourceAndVersion(fields, name),
    distribution: field(fields, 'Distribution', name),
    architectures: field(fields, 'Architecture', name).split(/\s+/),
    changedBy: field(fields, 'Changed-By', name),
    files: listedFiles(fields, WORDS_OF_CHANGES, name).map((file) => ({
      ...file,
      section: sections.get(file.name) ?? '',
    })),
  };
}

/**
 * Reads a `.dsc`, clear-signed or not. The signature is not verified, only seen.
 *
 * @throws AirlineError `malformed_control_file`
 */
export function parseSourceControl(text: string, name = '.dsc'): SourceControl {
  const { isSigned, fields } = parseControl(text, name);
  const architectures = field(fields, 'Architecture', name).split(/\s+/);
  const packageList = fields.get('package-list')?.slice(1) ?? [];
  const needed = (title: BuildDependsField) => unfolded(fields, title);
  return {
    isSigned,
    format: unfolded(fields, 'Format') || '1.0',
    ...sourceAndVersion(fields, name),
    architectures,
    files: listedFiles(fields, WORDS, name),
    binaries: readMadeBinaries(packageList, unfolded(fields, 'Binary'), architectures, name),
    testsuite: unfolded(fields, 'Testsuite'),
    buildDepends: {
      'Build-Depends': needed('Build-Depends'),
      'Build-Depends-Arch': needed('Build-Depends-Arch'),
      'Build-Depends-Indep': needed('Build-Depends-Indep'),
    },
  };
}

/**
 * Upstream's files that a `.dsc` lists and the `.changes` beside it does not: the archive that takes the upload has to
 * hold them.
 */
export function leftOutFiles(
  dsc: Pick<SourceControl, 'files'>,
  changes: Pick<Changes, 'files'>,
): NonNullable<DescribedPackage['leftOut']> {
  const sent = new Set(changes.files.map(({ name }) => name));
  return dsc.files
    .filter(({ name }) => isUpstreamFile(name) && !sent.has(name))
    .map(({ name, sha256 }) => ({ name, sha256 }));
}

/** The e-mail address of `Name <address>`, as Changed-By has it; undefined where there is none with a single `@`. */
export function emailAddressOf(person: string): string | undefined {
  return /<([^<>\s@]+@[^<>\s@]+)>\s*$/.exec(person)?.[1];
}

/** Who signed a `.changes`, as its text says; undefined where that has no signature that can be read. */
export function signerOf({ changedBy }: Changes, text: string): Signer | undefined {
  const key = signatureIssuer(text);
  if (key === undefined) return undefined;
  const email = emailAddressOf(changedBy);
  // A workflow carries it for as long as the build takes.
  return { key, email: email && email.length <= MAX_ADDRESS_LENGTH ? email : null };
}

function sourceAndVersion(fields: Fields, name: string): { source: string; version: string } {
  const source = field(fields, 'Source', name);
  const version = field(fields, 'Version', name);
  if (!SOURCE_NAME.test(source))
    fail(name, `Source ${quote(source)} is not the name of a source package`);
  if (!SOURCE_VERSION.test(version))
    fail(name, `Version ${quote(version)} is not a Debian version`);
  return { source, version };
}

/** The section of each file that Files of a `.changes` lists (Debian Policy 5.6.21). */
function sectionsOf(fields: Fields): Map<string, string> {
  const lines = (fields.get('files') ?? []).map((line) => line.split(/[ \t]+/));
  return new Map(lines.map(([, , section = '', , file = '']) => [file, section]));
}

/** Joins Files (MD5), Checksums-Sha1 and Checksums-Sha256, which must list the same names and sizes. */
function listedFiles(fields: Fields, words: number, name: string): ListedFile[] {
  const md5 = checksums(fields, { title: 'Files', form: /^[0-9a-f]{32}$/, words }, name);
  const list = (title: string, form: RegExp) =>
    checksums(fields, { title, form, words: WORDS }, name);
  const sha1 = list('Checksums-Sha1', /^[0-9a-f]{40}$/);
  const sha256 = list('Checksums-Sha256', /^[0-9a-f]{64}$/);
  if (sha1.size !== md5.size || sha256.size !== md5.size)
    fail(name, 'its checksum fields list different files');
  return [...md5].map(([file, entry]) => {
    const one = sha1.get(file);
    const two = sha256.get(file);
    if (!one || !two || one.sizeBytes !== entry.sizeBytes || two.sizeBytes !== entry.sizeBytes)
      return fail(name, `its checksum fields disagree about ${file}`);
    return {
      name: file,
      sizeBytes: entry.sizeBytes,
      md5: entry.sum,
      sha1: one.sum,
      sha256: two.sum,
    };
  });
}

function checksums(
  fields: Fields,
  { title, form, words }: { title: string; form: RegExp; words: number },
  name: string,
) {
  const [head, ...lines] = fields.get(title.toLowerCase()) ?? missing(title, name);
  if (head !== '') fail(name, `${title} has text on its first line`);
  if (lines.length === 0) fail(name, `${title} lists no file`);
  if (lines.length > MAX_FILES) fail(name, `${title} lists more than ${MAX_FILES} files`);
  const entries = new Map<string, { sum: string; sizeBytes: number }>();
  const seen = new Set<string>();
  for (const line of lines) {
    const parts = line.split(/[ \t]+/);
    const [sum = '', size = ''] = parts;
    const file = parts.at(-1) ?? '';
    if (parts.length !== words || !form.test(sum) || !SIZE.test(size))
      fail(name, `${title} has a malformed line: ${quote(line)}`);
    if (!FILE_NAME.test(file))
      fail(name, `${title} lists a name that is not a plain file name: ${quote(file)}`);
    // Two names that differ by case only are one file to some file systems, and no source package has them.
    if (seen.has(file.toLowerCase())) fail(name, `${title} lists ${file} twice`);
    seen.add(file.toLowerCase());
    entries.set(file, { sum, sizeBytes: Number(size) });
  }
  return entries;
}

/** A field of one line. */
function field(fields: Fields, title: string, name: string): string {
  const [value = '', ...more] = fields.get(title.toLowerCase()) ?? missing(title, name);
  if (more.length > 0) fail(name, `${title} has more than one line`);
  return value;
}

/** A field that may have several lines, on one; empty where it is missing. */
function unfolded(fields: Fields, title: string): string {
  return fields.get(title.toLowerCase())?.join(' ') ?? '';
}

function missing(title: string, name: string): never {
  return fail(name, `the field ${title} is missing`);
}
