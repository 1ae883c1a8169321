import { readFile } from 'node:fs/promises';
import { usageError, type CommandError } from '../command-error.ts';

/** The lists of the Debian package distro-info-data, which knows the latest series where it is installed. */
const DISTRO_INFO = '/usr/share/distro-info';

/** What is known without them: the supported series and the coming ones. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  debian: ['bullseye', 'bookworm', 'trixie', 'forky', 'sid', 'experimental'],
  ubuntu: ['trusty', 'xenial', 'bionic', 'focal', 'jammy', 'noble', 'questing', 'resolute'],
};

/**
 * Makes sure that a distribution has a series. Distributions that are neither Debian nor Ubuntu are believed, but for a
 * series of one of these two.
 *
 * @throws CommandError `usage`, which names the series that were likely meant
 */
export async function assertSeries(
  series: string,
  archive: string,
  directory = DISTRO_INFO,
): Promise<void> {
  const listed = KNOWN[archive];
  if (!listed) {
    if (!Object.values(KNOWN).some((list) => list.includes(series))) return;
    throw unknownSeries(series, archive, []);
  }
  const known = [...new Set([...(await installedSeries(archive, directory)), ...listed])];
  if (known.includes(series)) return;
  throw unknownSeries(series, archive, known);
}

function unknownSeries(series: string, archive: string, known: readonly string[]): CommandError {
  const other = Object.entries(KNOWN).find(([, list]) => list.includes(series))?.[0];
  const close = known.filter((one) => one.startsWith(series.slice(0, 3)));
  const hints = [
    ...(other ? [`${series} is a series of ${other}: give --archive ${other}.`] : []),
    ...(close.length > 0 ? [`Did you mean ${close.join(' or ')}?`] : []),
    '--any-series accepts a series that is newer than this program.',
  ];
  return usageError(`${archive} has no series ${JSON.stringify(series)}.`, hints.join(' '));
}

/** The third column: version, codename, series, created, release, … */
async function installedSeries(archive: string, directory: string): Promise<string[]> {
  const text = await readFile(`${directory}/${archive}.csv`, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(',')[2] || []);
}
