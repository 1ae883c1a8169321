import type { QueryResult } from 'pg';

/** Asks a server whether it is a standby. */
export const ASK_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

/**
 * After a failover the address may lead to the old primary for a while. It answers, takes no write, and may show no
 * change any more: were a connection kept that is used all the time, it would never come to the new one.
 *
 * @param answer to `ASK_STANDBY`
 * @throws Error where the server is a standby
 */
export function assertPrimary(answer: QueryResult<{ isStandby: boolean }> | undefined): void {
  if (answer?.rows[0]?.isStandby) throw new Error('The database is a standby.');
}
