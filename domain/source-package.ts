import { AirlineError } from './errors.ts';

/** One file that a `.changes` or `.dsc` lists. */
export type ListedFile = {
  name: string;
  sizeBytes: number;
  md5: string;
  sha1: string;
  sha256: string;
};

/** What a `.changes` says (Debian Policy 5.5). */
export type Changes = {
  isSigned: boolean;
  source: string;
  version: string;
  distribution: string;
  architectures: string[];
  changedBy: string;
  files: ListedFile[];
};

/** What a `.dsc` says (Debian Policy 5.4). */
export type SourceControl = {
  isSigned: boolean;
  source: string;
  version: string;
  architectures: string[];
  files: ListedFile[];
};

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9.+~_-]*$/;
const SOURCE_NAME = /^[a-z0-9][a-z0-9+.-]+$/;
const VERSION = /^(?:\d+:)?\d[A-Za-z0-9.+~-]*$/;
const SIGNED =
  /^-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([\s\S]*?)\r?\n-----BEGIN PGP SIGNATURE-----[\s\S]*?-----END PGP SIGNATURE-----\s*$/;

/**
 * Reads a `.changes`, clear-signed or not. The signature is not verified, only seen.
 *
 * @throws AirlineError `malformed_control_file`
 */
export function parseChanges(text: string, name = '.changes'): Changes {
  const { isSigned, fields } = parseControl(text, name);
  const format = field(fields, 'Format', name);
  if (!/^1\.[5-8]$/.test(format)) fail(name, `Format ${format} is not 1.5 to 1.8`);
  return {
    isSigned,
    ...sourceAndVersion(fields, name),
    distribution: field(fields, 'Distribution', name),
    architectures: field(fields, 'Architecture', name).split(/\s+/),
    changedBy: field(fields, 'Changed-By', name),
    files: listedFiles(fields, name),
  };
}

/**
 * Reads a `.dsc`, clear-signed or not. The signature is not verified, only seen.
 *
 * @throws AirlineError `malformed_control_file`
 */
export function parseSourceControl(text: string, name = '.dsc'): SourceControl {
  const { isSigned, fields } = parseControl(text, name);
  return {
    isSigned,
    ...sourceAndVersion(fields, name),
    architectures: field(fields, 'Architecture', name).split(/\s+/),
    files: listedFiles(fields, name),
  };
}

function parseControl(
  text: string,
  name: string,
): { isSigned: boolean; fields: Map<string, string> } {
  const isSigned = text.startsWith('-----BEGIN PGP SIGNED MESSAGE-----');
  // RFC 4880 section 7.1: lines that start with a dash are dash-escaped.
  const body = isSigned
    ? (SIGNED.exec(text)?.[1]?.replace(/^- /gm, '') ?? fail(name, 'its signature is cut'))
    : text;
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of body.replace(/\s+$/, '').split(/\r?\n/)) {
    const start = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line);
    if (start?.[1] !== undefined && !/^[#-]/.test(line)) {
      last = start[1].toLowerCase();
      if (fields.has(last)) fail(name, `the field ${start[1]} stands twice`);
      fields.set(last, start[2] ?? '');
    } else if (/^[ \t]/.test(line) && last !== undefined) {
      fields.set(last, `${fields.get(last) ?? ''}\n${line.trim()}`);
    } else {
      fail(
        name,
        line.trim() === ''
          ? 'it has more than one paragraph'
          : `this line is no field: ${line.slice(0, 80)}`,
      );
    }
  }
  return { isSigned, fields };
}

function sourceAndVersion(
  fields: Map<string, string>,
  name: string,
): { source: string; version: string } {
  const source = field(fields, 'Source', name);
  const version = field(fields, 'Version', name);
  if (!SOURCE_NAME.test(source))
    fail(name, `Source ${JSON.stringify(source)} is no source package name`);
  if (!VERSION.test(version)) fail(name, `Version ${JSON.stringify(version)} is no Debian version`);
  return { source, version };
}

/** Joins Files (MD5), Checksums-Sha1 and Checksums-Sha256, which must list the same names and sizes. */
function listedFiles(fields: Map<string, string>, name: string): ListedFile[] {
  const md5 = checksums(fields, 'Files', /^[0-9a-f]{32}$/, name);
  const sha1 = checksums(fields, 'Checksums-Sha1', /^[0-9a-f]{40}$/, name);
  const sha256 = checksums(fields, 'Checksums-Sha256', /^[0-9a-f]{64}$/, name);
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

function checksums(fields: Map<string, string>, title: string, form: RegExp, name: string) {
  const entries = new Map<string, { sum: string; sizeBytes: number }>();
  for (const line of field(fields, title, name).split('\n')) {
    if (line === '') continue;
    const words = line.split(/\s+/);
    const [sum = '', size = ''] = words;
    const file = words.at(-1) ?? '';
    if (!form.test(sum) || !/^\d{1,15}$/.test(size))
      fail(name, `${title} has a malformed line: ${line.slice(0, 120)}`);
    if (!FILE_NAME.test(file))
      fail(name, `${title} lists a name that is no plain file name: ${file.slice(0, 120)}`);
    if (entries.has(file)) fail(name, `${title} lists ${file} twice`);
    entries.set(file, { sum, sizeBytes: Number(size) });
  }
  if (entries.size === 0) fail(name, `${title} lists no file`);
  return entries;
}

function field(fields: Map<string, string>, title: string, name: string): string {
  return fields.get(title.toLowerCase()) ?? fail(name, `the field ${title} is missing`);
}

function fail(name: string, why: string): never {
  throw new AirlineError('malformed_control_file', `${name}: ${why}`);
}
