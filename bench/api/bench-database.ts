import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadEmbeddedConfig } from '../../main/embedded/environment.ts';
import { startStack, type Stack } from '../../main/embedded/stack.ts';
import { createProgressPrinter } from '../../main/embedded/terminal.ts';
import { freePorts } from '../../test/support/stack/free-ports.ts';
import { aborted, makeDirectory } from '../bench-stack.ts';
import { makeDatabase, run, type Tickets } from './seed.ts';
import type { ServerProcess } from './server-process.ts';

const NEEDED_BYTES = 4 * 2 ** 30;

/** A PostgreSQL of its own, and a place for the servers that are measured on it. */
export type BenchDatabase = {
  /** Makes a database with so many tickets, and answers its address. */
  make: (name: string, tickets: Tickets) => Promise<string>;
  /** A folder for logs; it goes at the end. */
  directory: string;
  /** One more port that is free; there are six. */
  port: () => number;
  /** Keeps a server, to be stopped before the database; and watches it. */
  keep: (server: Promise<ServerProcess>) => Promise<ServerProcess>;
};

/**
 * Starts the embedded PostgreSQL as it ships, durable and with autovacuum, lets it be used, and leaves nothing behind.
 *
 * @throws what `use` throws, PostgreSQL's failure, or the signal's reason
 */
export async function withBenchDatabase<T>(
  signal: AbortSignal,
  use: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const { database: port, ...others } = await freePorts();
  const ports = Object.values(others);
  const directory = await makeDirectory(NEEDED_BYTES);
  const servers: ServerProcess[] = [];
  let stack: Stack | undefined;
  try {
    stack = await startStack({
      config: loadEmbeddedConfig({
        ...(process.env['AIRLINE_CACHE_DIR']
          ? { AIRLINE_CACHE_DIR: process.env['AIRLINE_CACHE_DIR'] }
          : {}),
        AIRLINE_STATE_DIR: join(directory, 'state'),
        AIRLINE_DATABASE_PORT: String(port),
      }),
      report: createProgressPrinter(process.stdout),
      only: ['postgresql'],
      signal,
    });
    const { addresses, failed } = stack;
    const using = use({
      directory,
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
    return await Promise.race([
      using,
      failed.then((failure) => Promise.reject(failure)),
      aborted(signal),
    ]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await stack?.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
