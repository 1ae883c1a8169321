import { readFile } from 'node:fs/promises';

/** The distribution and series of this machine: the only ones whose packages it builds as they are meant. */
export type MachineSeries = { distribution: string; series: string };

/**
 * Reads `/etc/os-release` (os-release(5)).
 *
 * @throws Error on a system that names no series, because it is not Debian or a derivative with one
 */
export async function machineSeries(path = '/etc/os-release'): Promise<MachineSeries> {
  const text = await readFile(path, 'utf8');
  const value = (name: string) => new RegExp(`^${name}="?([a-z0-9.+-]+)"?$`, 'm').exec(text)?.[1];
  const distribution = value('ID');
  const series = value('VERSION_CODENAME');
  if (!distribution || !series)
    throw new Error(`${path} names no series: Airline's builder needs Debian or Ubuntu.`);
  return { distribution, series };
}
