import { freePorts } from '../../test/support/stack/free-ports.ts';
import { withBenchStack } from '../bench-stack.ts';
import { makeDatabase, run, type Tickets } from './seed.ts';
import type { ServerProcess } from './server-process.ts';

const NEEDED_BYTES = 4 * 2 ** 30;

/** A PostgreSQL of its own, and a place for the servers that are measured on it. */
export type BenchDatabase = {
  /** Makes a database with so many tickets, and answers its address. */
  make: (name: string, tickets: Tickets) => Promise<string>;
  /** A folder for logs; it goes at the end. */
  directory: string;
  /** One more port that is free; there are seven. */
  port: () => number;
  /** Keeps a server, to be stopped before the database. */
  keep: (server: Promise<ServerProcess>) => Promise<ServerProcess>;
};

/**
 * Starts the embedded PostgreSQL as it ships, durable and with autovacuum, lets it be used, and leaves nothing behind.
 *
 * @throws what `use` throws, PostgreSQL's failure, or the signal's reason
 */
export function withBenchDatabase<T>(
  signal: AbortSignal,
  use: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const setting = { only: ['postgresql'] as const, neededBytes: NEEDED_BYTES, signal };
  return withBenchStack(setting, async ({ stack: { addresses }, scratchDir }) => {
    const ports = Object.values(await freePorts());
    const servers: ServerProcess[] = [];
    try {
      return await use({
        directory: scratchDir,
        port: () => ports.shift() ?? 0,
        async make(name, tickets) {
          await run(addresses.databaseUrl, `CREATE DATABASE ${name}`);
          const url = addresses.databaseUrl.replace(/[^/]*$/, name);
          await makeDatabase(url, tickets);
          return url;
        },
        async keep(starting) {
          const server = await starting;
          servers.push(server);
          return server;
        },
      });
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
}
