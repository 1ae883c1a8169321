/** One file that a `.changes` lists. */
type ListedFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};

/** What of a `.changes` its submission needs (Debian Policy 5.5). */
export type ChangesFile = {
  readonly isSigned: boolean;
  readonly source: string;
  readonly version: string;
  readonly distribution: string;
  readonly architectures: readonly string[];
  readonly changedBy: string;
  readonly files: readonly ListedFile[];
};

const SOURCE_NAME = /^[a-z0-9][a-z0-9+.-]+$/;
const VERSION = /^(?:\d+:)?\d[A-Za-z0-9.+~-]*$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9.+~_-]{0,254}$/;
const BEGIN_MESSAGE = '-----BEGIN PGP SIGNED MESSAGE-----';
const BEGIN_SIGNATURE = '-----BEGIN PGP SIGNATURE-----';

/** A control file that is not as Debian Policy has it; the message says where. */
export class MalformedChanges extends Error {}

/**
 * Reads a `.changes`, clear-signed or not. Who signed it is for the PPA to judge.
 *
 * @throws MalformedChanges
 */
export function parseChangesFile(text: string): ChangesFile {
  const lines = text.split(/\r?\n/);
  const isSigned = lines[0] === BEGIN_MESSAGE;
  const fields = readFields(isSigned ? signedLines(lines) : lines);
  const source = oneLine(fields, 'Source');
  const version = oneLine(fields, 'Version');
  if (!SOURCE_NAME.test(source)) fail(`Source ${JSON.stringify(source)} is no source package name`);
  if (!VERSION.test(version)) fail(`Version ${JSON.stringify(version)} is no Debian version`);
  return {
    isSigned,
    source,
    version,
    distribution: oneLine(fields, 'Distribution'),
    architectures: oneLine(fields, 'Architecture').split(/\s+/),
    changedBy: oneLine(fields, 'Changed-By'),
    files: listedFiles(fields),
  };
}

/** Whether a control file carries a clear signature. */
export function isClearSigned(text: string): boolean {
  return text.startsWith(BEGIN_MESSAGE) && text.includes(`\n${BEGIN_SIGNATURE}`);
}

/** The lines between the armour headers and the signature (RFC 9580, section 7). */
function signedLines(lines: readonly string[]): string[] {
  const start = lines.indexOf('');
  const end = lines.indexOf(BEGIN_SIGNATURE);
  if (start < 0 || end < start) return fail('its signature is cut');
  return lines.slice(start + 1, end).map((line) => line.replace(/^- /, ''));
}

function readFields(lines: readonly string[]): ReadonlyMap<string, string[]> {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (/^[ \t]/.test(line)) {
      if (!current) fail(`this line is of no field: ${JSON.stringify(line.slice(0, 100))}`);
      current?.push(line.trim());
      continue;
    }
    const [, title, value] = /^([!-9;-~]+):(.*)$/.exec(line) ?? [];
    if (title === undefined)
      return fail(`this line is no field: ${JSON.stringify(line.slice(0, 100))}`);
    if (fields.has(title.toLowerCase())) fail(`the field ${title} stands twice`);
    current = [(value ?? '').trim()];
    fields.set(title.toLowerCase(), current);
  }
  return fields;
}

function listedFiles(fields: ReadonlyMap<string, string[]>): ListedFile[] {
  const [, ...lines] =
    fields.get('checksums-sha256') ?? fail('the field Checksums-Sha256 is missing');
  if (lines.length === 0) fail('Checksums-Sha256 lists no file');
  const files = lines.map((line) => {
    const [sha256 = '', size = '', name = '', ...more] = line.split(/[ \t]+/);
    if (!/^[0-9a-f]{64}$/.test(sha256) || !/^\d{1,15}$/.test(size) || more.length > 0)
      fail(`Checksums-Sha256 has a malformed line: ${JSON.stringify(line.slice(0, 200))}`);
    if (!FILE_NAME.test(name))
      fail(`it lists a name that is no plain file name: ${JSON.stringify(name)}`);
    return { name, sizeBytes: Number(size), sha256 };
  });
  if (new Set(files.map(({ name }) => name)).size < files.length) fail('it lists a file twice');
  return files;
}

function oneLine(fields: ReadonlyMap<string, string[]>, title: string): string {
  const [value = '', ...more] =
    fields.get(title.toLowerCase()) ?? fail(`the field ${title} is missing`);
  if (more.length > 0) fail(`${title} has more than one line`);
  return value;
}

function fail(why: string): never {
  throw new MalformedChanges(why);
}
