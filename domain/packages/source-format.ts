import type { ListedFile, SourceControl } from './source-package.ts';

const ANY_TARBALL = String.raw`tar\.(?:gz|bz2|xz)`;
/** A file by how its name ends, from what tells its kind. */
const ENDING =
  /\.((?:(?:orig(?:-[A-Za-z0-9-]+)?|debian)\.)?tar\.[a-z0-9]+(?:\.asc)?|diff\.[a-z0-9]+)$/;
const MAX_SHOWN_LENGTH = 200;

/**
 * The formats that Launchpad takes, and the files of each: by the endings of their names, in order and with a space
 * between them (`check_format_1_0_files` and its neighbours in lib/lp/archiveuploader/dscfile.py).
 */
const FORMATS: ReadonlyMap<string, { endings: RegExp; has: string }> = new Map([
  [
    '1.0',
    {
      endings: /^(?:tar\.gz|diff\.gz orig\.tar\.gz(?: orig\.tar\.gz\.asc)?)$/,
      has: 'one tar.gz, or one orig.tar.gz and one diff.gz',
    },
  ],
  [
    '3.0 (native)',
    { endings: new RegExp(`^${ANY_TARBALL}$`), has: 'one tar.gz, tar.bz2 or tar.xz' },
  ],
  [
    '3.0 (quilt)',
    {
      endings: new RegExp(
        String.raw`^debian\.${ANY_TARBALL}(?: orig-[A-Za-z0-9-]+\.${ANY_TARBALL}(?:\.asc)?)*` +
          String.raw` orig\.${ANY_TARBALL}(?: orig\.${ANY_TARBALL}\.asc)?$`,
      ),
      has: 'one orig.tar, one debian.tar, and an orig-<component>.tar of each component, by gz, bz2 or xz',
    },
  ],
]);

/**
 * Their names. dpkg-source makes all of these of files alone; others ask a version control system, which runs what it
 * is told to.
 */
export const SOURCE_FORMATS = [...FORMATS.keys()];

/**
 * Why Launchpad rejects a source package for its format, its compression, or the files that it is made of. Launchpad
 * says so by mail, to the signer alone.
 *
 * @returns a sentence without its full stop; undefined where Launchpad takes it
 */
export function formatProblem({
  format,
  files,
}: Pick<SourceControl, 'format'> & {
  files: readonly Pick<ListedFile, 'name'>[];
}): string | undefined {
  const known = FORMATS.get(format);
  if (!known)
    return `Launchpad takes the formats ${shownFormats()}, not ${JSON.stringify(format.slice(0, MAX_SHOWN_LENGTH))}`;
  const endings = files
    .map(({ name }) => ENDING.exec(name)?.[1] ?? name)
    .toSorted()
    .join(' ');
  return known.endings.test(endings)
    ? undefined
    : `in format ${format} Launchpad takes ${known.has}; this one has ${endings.slice(0, MAX_SHOWN_LENGTH)}`;
}

function shownFormats(): string {
  return `${SOURCE_FORMATS.slice(0, -1).join(', ')} and ${SOURCE_FORMATS.at(-1)}`;
}
