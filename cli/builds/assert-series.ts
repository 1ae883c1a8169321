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
 * @param archive the distribution; undefined where it may be Debian or Ubuntu
 * @throws CommandError `usage`, which names the series that were likely meant
 */
export async function assertSeries(series: string, archive: string | undefined): Promise<void> {
  const archives = archive === undefined ? Object.keys(KNOWN) : [archive];
  const lists = await Promise.all(archives.map(knownSeries));
  const known = lists.flat();
  if (known.includes(series)) return;
  const other = Object.entries(KNOWN).find(([, list]) => list.includes(series))?.[0];
  if (known.length === 0 && other === undefined) return;
  throw unknownSeries(series, archives, known, other);
}

function unknownSeries(
  series: string,
  archives: readonly string[],
  known: readonly string[],
  other: string | undefined,
): CommandError {
  const close = known.filter((one) => one.startsWith(series.slice(0, 3)));
  const hints = [
    ...(other ? [`${series} is a series of ${other}: give --archive ${other}.`] : []),
    ...(close.length > 0 ? [`Did you mean ${close.join(' or ')}?`] : []),
    '--any-series accepts a series that is newer than this program.',
  ];
  const none =
    archives.length > 1 ? `Neither ${archives.join(' nor ')} has a` : `${archives[0]} has no`;
  return usageError(`${none} series ${JSON.stringify(series)}.`, hints.join(' '));
}

/** @returns none of a distribution that is neither Debian nor Ubuntu */
async function knownSeries(archive: string): Promise<string[]> {
  const listed = KNOWN[archive];
  return listed ? [...new Set([...(await installedSeries(archive)), ...listed])] : [];
}

/** The third column: version, codename, series, created, release, … */
async function installedSeries(archive: string): Promise<string[]> {
  const text = await readFile(`${DISTRO_INFO}/${archive}.csv`, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(',')[2] || []);
}
