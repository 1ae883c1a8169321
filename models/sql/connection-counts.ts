import type { Client } from 'pg';
import type { Sequelize } from 'sequelize';

/** Connections to a database by what they do, and statements and transactions that wait for one. */
export type ConnectionCounts = {
  readonly busy: number;
  readonly idle: number;
  readonly awaited: number;
};

/**
 * Counts connections by Sequelize's hooks and pg's events, because Sequelize's pool is not public.
 *
 * @param acquireTimeoutMs a wait for a connection is refused after this time; nothing else tells of a refusal
 */
export function countConnections(
  sequelize: Sequelize,
  acquireTimeoutMs: number,
): () => ConnectionCounts {
  const open = new Set<object>();
  const busy = new Set<object>();
  const waitingSinceMs = new Map<object, number>();
  /** Those who wait longest come first. */
  const dropRefused = () => {
    const refusedBeforeMs = performance.now() - acquireTimeoutMs;
    for (const [options, sinceMs] of waitingSinceMs) {
      if (sinceMs >= refusedBeforeMs) return;
      waitingSinceMs.delete(options);
    }
  };
  sequelize.addHook('afterConnect', (connection) => {
    const client = connection as Client;
    open.add(client);
    // Its last statement is done; inside of a transaction more will follow.
    client.on('drain', () => {
      if (client.getTransactionStatus() === 'I') busy.delete(client);
    });
    client.once('end', () => {
      open.delete(client);
      busy.delete(client);
    });
  });
  sequelize.addHook('beforePoolAcquire', (options) => {
    // In an outage all are refused, and nobody may read the counts.
    dropRefused();
    waitingSinceMs.set(options, performance.now());
  });
  sequelize.addHook('afterPoolAcquire', (connection, options) => {
    waitingSinceMs.delete(options);
    busy.add(connection);
  });
  return () => {
    dropRefused();
    return { busy: busy.size, idle: open.size - busy.size, awaited: waitingSinceMs.size };
  };
}
