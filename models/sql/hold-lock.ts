import { setTimeout as sleep } from 'node:timers/promises';
import type { Sequelize } from 'sequelize';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { query } from './query.ts';

const RETRY_MS = 500;
/** A connection that says nothing for longer is taken for a broken one. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Does work of minutes that others, in this process or another, must not do at the same time: they wait. It takes a
 * connection of the database for as long; where that breaks, another may begin before this one has ended.
 *
 * @param name what only one may do at a time
 * @param signal ends the wait
 */
export async function whileHoldingLock<T>(
  sequelize: Sequelize,
  name: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return sequelize.transaction(async (transaction) => {
    const ask = 'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS held';
    for (;;) {
      const [row] = await query<{ held: boolean }>(
        sequelize,
        ask,
        [ADVISORY_LOCKS.heldWork, name],
        transaction,
      );
      if (row?.held) break;
      await sleep(RETRY_MS, undefined, { signal });
    }
    const timer = setInterval(() => {
      query(sequelize, 'SELECT 1', [], transaction).catch(() => undefined);
    }, KEEP_ALIVE_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  });
}
