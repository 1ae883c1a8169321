import { freePorts } from '../../test/support/stack/free-ports.ts';
import { withBenchStack } from '../bench-stack.ts';
import { assertSameAnswers } from './same-answers.ts';
import {
  makeDatabase,
  readIds,
  run,
  SIZES,
  type History,
  type Size,
  type TicketIds,
} from './seed.ts';
import { airline, peer, startServer, type Program, type ServerProcess } from './server-process.ts';

const MAX_IDS = 20_000;
const NEEDED_BYTES = 4 * 2 ** 30;

export const PEER = 'node:http + pg';
export const AIRLINE = "Airline's API";

/** What is loaded as one: a server or several, and the database behind them. */
export type Target = {
  title: string;
  size: Size;
  servers: readonly ServerProcess[];
  databaseUrl: string;
  ids: TicketIds;
  /** The table that its changes of status go to. */
  history: History;
};

type Declared = { title: string; history: History; programs: readonly Program[] };

const raw: Declared = {
  title: PEER,
  history: 'raw_status_change',
  programs: [peer('bench/api/raw-server.ts')],
};
const layer = (title: string, history: History, way: string): Declared => ({
  title,
  history,
  programs: [peer('bench/api/layer-server.ts', way)],
});
const api: Declared = { title: AIRLINE, history: 'status_change', programs: [airline] };

/** What can be compared: the first of each list is what the others are a share of. */
export const COMPARISONS = {
  /** The peer and Airline on both databases. */
  api: { sizes: ['small', 'large'], targets: [raw, api] },
  /** One layer more each time between the socket and PostgreSQL. */
  layers: {
    sizes: ['small'],
    targets: [
      raw,
      layer('Koa + pg', 'raw_status_change', 'pg'),
      layer('Koa + Sequelize as it comes', 'status_change', 'sequelize'),
      layer('Koa + Sequelize with prepared statements', 'status_change', 'prepared'),
      api,
    ],
  },
  /** One process of Airline's API, and two on the same database. */
  processes: {
    sizes: ['small'],
    targets: [
      { ...api, title: 'one process' },
      { ...api, title: 'two processes', programs: [airline, airline] },
    ],
  },
} as const satisfies Record<string, { sizes: readonly Size[]; targets: readonly Declared[] }>;
export type ComparisonName = keyof typeof COMPARISONS;

/** What a target is called where both databases are measured. */
export function targetTitle(title: string, size: Size): string {
  return `${title}, ${size}`;
}

/**
 * Starts every server of a comparison at once, on an embedded PostgreSQL as it ships, so that all can be loaded in
 * turn; each size has a database of its own. Nothing is left behind.
 *
 * @throws what `use` throws, Error where two servers answer differently, PostgreSQL's failure, or the signal's reason
 */
export function withTargets<T>(
  name: ComparisonName,
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
  use: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const { sizes, targets } = COMPARISONS[name];
  const stackOptions = { only: ['postgresql'] as const, neededBytes: NEEDED_BYTES, signal };
  return withBenchStack(stackOptions, async ({ stack, scratchDir: directory }) => {
    const ports = Object.values(await freePorts());
    const running: ServerProcess[] = [];
    const started: Target[] = [];
    try {
      for (const size of sizes) {
        const databaseUrl = stack.addresses.databaseUrl.replace(/[^/]*$/, size);
        await run(stack.addresses.databaseUrl, `CREATE DATABASE ${size}`);
        await makeDatabase(databaseUrl, SIZES[size]);
        const ids = await readIds(databaseUrl, MAX_IDS);
        const firstOfSize = running.length;
        for (const { title, history, programs } of targets) {
          const servers: ServerProcess[] = [];
          for (const program of programs) {
            const port = ports[running.length] ?? 0;
            const name = `${title} ${size} ${servers.length + 1}`.replaceAll(/\W+/g, '-');
            const setting = { name, databaseUrl, port, directory };
            servers.push(await startServer(program, setting, signal));
            running.push(...servers.slice(-1));
          }
          started.push({ title, size, servers, databaseUrl, ids, history });
        }
        await assertSameAnswers(running.slice(firstOfSize), ids);
        say(`${size} database: ready, and all servers give the same bytes`);
      }
      return await use(started);
    } finally {
      await Promise.all(running.map((server) => server.stop()));
    }
  });
}
