import { changeFields, fail } from './control-file.ts';
import type { ListedFile } from './source-package.ts';

/** The sum that each list has, by its field; Checksums-Md5 is of a `.buildinfo`. */
const LISTS = new Map<string, 'md5' | 'sha1' | 'sha256'>([
  ['files', 'md5'],
  ['checksums-md5', 'md5'],
  ['checksums-sha1', 'sha1'],
  ['checksums-sha256', 'sha256'],
]);

/**
 * Gives one of the files that a `.changes` or `.buildinfo` lists another size and other sums, in all lists that have
 * it: its signature has changed it.
 *
 * @param text clear-signed or not
 * @returns the text without a signature
 * @throws AirlineError `malformed_control_file`, also where a list has sums of another kind: they would be wrong
 */
export function relistFile(text: string, file: ListedFile, name: string): string {
  return changeFields(text, name, (line, title) => {
    const [, , ...rest] = line.trim().split(/[ \t]+/);
    if (rest.at(-1) !== file.name) return line;
    const sum = LISTS.get(title);
    if (sum !== undefined) return ` ${[file[sum], file.sizeBytes, ...rest].join(' ')}`;
    return title.startsWith('checksums-')
      ? fail(name, `its field ${title} lists ${file.name} by a sum that cannot be made anew`)
      : line;
  });
}
