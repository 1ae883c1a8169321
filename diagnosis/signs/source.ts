import { ECHO, sign, type Sign } from '../sign.ts';

/** The source: its patches and its archives. */
export const SOURCE_SIGNS: readonly Sign[] = [
  sign(
    'patch_not_applied',
    'cause',
    /^Hunk #\d+ FAILED at |^patch: \*{4} |^can't find file to patch at input line |^Patch \S+ (?:does not apply|can be reverse-applied)|^Reversed \(or previously applied\) patch detected|^error: patch failed: /,
  ),
  sign(
    'patch_not_applied',
    'cause',
    /^dpkg-source: (?:info: the patch has fuzz|error: (?:aborting due to unexpected upstream changes|diff |expected |.* (?:in|of) diff '))/,
  ),
  // quilt's words; some packages ask it to apply what may not be there.
  sign('patch_not_applied', 'hint', /^No series file found$/),
  sign(
    'source_damaged',
    'cause',
    /^(?:xz|gzip|bzip2|lzma|zstd): .*(?:not in gzip format|[Ff]ile format not recognized|not a bzip2 file|[Uu]nexpected end of (?:file|input)|corrupt|crc error|invalid compressed data)/,
  ),
  sign(
    'source_damaged',
    'cause',
    /^tar: (?:This does not look like a tar archive|Unexpected EOF in archive)/,
  ),
  sign(
    'source_damaged',
    'cause',
    /^dpkg-source: error: .*(?:checksum|has size|bad signature|cannot (?:open|read|find)|unpack)/,
    ECHO,
  ),
];
