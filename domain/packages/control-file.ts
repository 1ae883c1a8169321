import { AirlineError } from '../errors.ts';

/** A control file is a few kilobytes; this much is read of one and no more. */
export const CONTROL_FILE_MAX_BYTES = 1_048_576;

/** What is said of a control file in another encoding. Those of Debian are in UTF-8 (Debian Policy 5.1). */
export const NOT_UTF8 =
  'it is not UTF-8: convert debian/control and debian/changelog with iconv, then rebuild the source package';

/** A line that goes on with the field before it. */
const CONTINUED = /^[ \t]/;
const FIELD_NAME = /^[!-"$-,./-9;-~][!-9;-~]*$/;
const MAX_SHOWN_LENGTH = 100;
// Readers differ in what they take for the end of a line; these are the ends that only some of them see.
const NO_TEXT =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029]|\r(?!\n)/;

const BEGIN_SIGNATURE = '-----BEGIN PGP SIGNATURE-----';
const END_SIGNATURE = '-----END PGP SIGNATURE-----';
const HASH_HEADER = /^Hash: [A-Za-z0-9, -]+$/;
const ARMOUR = /^(?:[A-Za-z]+: .*|[A-Za-z0-9+/=]*)$/;

/** Whether a control file begins as a clear-signed message does. Whether its signature is whole, its parser says. */
export function isClearSigned(text: string): boolean {
  return /^-----BEGIN PGP SIGNED MESSAGE-----\r?(?:\n|$)/.test(text);
}

/**
 * What a control file says, without a signature.
 *
 * @throws AirlineError `malformed_control_file` where the signature is not whole
 */
export function unsignedText(text: string, name: string): string {
  return isClearSigned(text) ? `${signedLines(text.split(/\r?\n/), name).join('\n')}\n` : text;
}

/** The fields by their names in lower case, each with its lines. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the one paragraph of a control file (deb822(5)), clear-signed or not. It takes time in proportion to the text,
 * and no more: the text comes from strangers.
 *
 * @throws AirlineError `malformed_control_file`
 */
export function parseControl(text: string, name: string): { isSigned: boolean; fields: Fields } {
  if (NO_TEXT.test(text)) fail(name, 'it has characters that do not belong in a text');
  const all = text.split(/\r?\n/);
  const isSigned = isClearSigned(text);
  const lines = isSigned ? signedLines(all, name) : all;
  while (lines.at(-1)?.trim() === '') lines.pop();
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines) {
    if (line.trim() === '') fail(name, 'it has more than one paragraph');
    if (CONTINUED.test(line)) {
      if (!current) return fail(name, `this line belongs to no field: ${quote(line)}`);
      current.push(line.trim());
      continue;
    }
    const title = titleOf(line);
    if (!FIELD_NAME.test(title)) fail(name, `this line is not a field: ${quote(line)}`);
    if (fields.has(title.toLowerCase())) fail(name, `the field ${quote(title)} appears twice`);
    current = [line.slice(title.length + 1).trim()];
    fields.set(title.toLowerCase(), current);
  }
  return { isSigned, fields };
}

/**
 * Changes lines of the fields of a control file, and leaves all else as it is. Its signature is left out.
 *
 * @param change gets each further line of a field, and its name in lower case
 * @throws AirlineError `malformed_control_file`
 */
export function changeFields(
  text: string,
  name: string,
  change: (line: string, title: string) => string,
): string {
  parseControl(text, name);
  let title = '';
  const changed = (line: string) => {
    if (CONTINUED.test(line)) return change(line, title);
    title = titleOf(line).toLowerCase();
    return line;
  };
  return unsignedText(text, name).split(/\r?\n/).map(changed).join('\n');
}

/** How gpg is told to sign a control file in the form that an upload has to have (Debian Policy 5.4, debsign(1)). */
export function clearSigning(keyId: string): string[] {
  return ['--local-user', keyId, '--clearsign', '--armor', '--textmode'];
}

/** The name of the field that begins in a line; empty where none does. */
function titleOf(line: string): string {
  return line.slice(0, Math.max(line.indexOf(':'), 0));
}

/**
 * The lines between the headers of a clear-signed message and its one signature, unescaped (RFC 9580, section 7).
 * Nothing else may be in the file, because it would not be signed.
 */
function signedLines(lines: readonly string[], name: string): string[] {
  let start = 1;
  while (HASH_HEADER.test(lines[start] ?? '')) start += 1;
  if (lines[start] !== '') fail(name, 'its signed message has a header that is not Hash');
  const end = lines.indexOf(BEGIN_SIGNATURE, start);
  const last = lines.indexOf(END_SIGNATURE, end);
  if (end < 0 || last < 0) return fail(name, 'its signature is incomplete');
  if (!lines.slice(end + 1, last).every((line) => ARMOUR.test(line)))
    fail(name, 'its signature has lines that do not belong to it');
  if (!lines.slice(last + 1).every((line) => line.trim() === ''))
    fail(name, 'it goes on after its signature');
  return lines.slice(start + 1, end).map((line) => {
    if (!line.startsWith('-')) return line;
    return line.startsWith('- ')
      ? line.slice(2)
      : fail(name, 'its signed message has a line that begins with an unescaped dash');
  });
}

/** What a control file has, bounded, for a message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_LENGTH));
}

/** @throws AirlineError `malformed_control_file` */
export function fail(name: string, why: string): never {
  throw new AirlineError('malformed_control_file', `${name}: ${why}`);
}
