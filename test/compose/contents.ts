import { isDeepStrictEqual } from 'node:util';
import { expected, logOf, type Call, type Requested } from './builds.ts';

/** What a backup has to bring back: how many rows there are, and a file of the data store. */
export type Contents = { builds: number; tickets: number; log: string };

/** @param ended a build that has ended, whose log is read */
export async function readContents(call: Call, ended: Requested): Promise<Contents> {
  const get = async (path: string) => expected(200, await call('GET', path));
  const count = async (of: string) =>
    (JSON.parse(await get(`/api/v1/${of}/?limit=1`)) as { meta: { total_count: number } }).meta
      .total_count;
  return {
    builds: await count('build'),
    tickets: await count('ticket'),
    log: await get(new URL(await logOf(call, ended)).pathname),
  };
}

/**
 * @param before what it had at the backup
 * @throws Error where an installation that is restored has anything else
 */
export async function assertRestored(
  call: Call,
  ended: Requested,
  before: Contents,
): Promise<void> {
  const restored = await readContents(call, ended);
  if (!isDeepStrictEqual(restored, before))
    throw new Error(`it had ${described(before)}, and has ${described(restored)}`);
}

function described({ builds, tickets, log }: Contents): string {
  return `${builds} builds and ${tickets} tickets, and a log of ${log.length} characters`;
}
