import type { BenchDatabase } from './bench-database.ts';
import { requireSameAnswers } from './same-answers.ts';
import { readIds, SIZES, type History, type Size, type TicketIds } from './seed.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { airline, layer, raw, type Program } from './servers.ts';

const MAX_IDS = 20_000;

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
type Setting = { signal: AbortSignal; say: (line: string) => void };

const peer: Declared = { title: PEER, history: 'raw_status_change', programs: [raw] };
const api: Declared = { title: AIRLINE, history: 'status_change', programs: [airline] };

/** What can be compared: the first of each list is what the others are a share of. */
export const COMPARISONS = {
  /** The peer and Airline on both databases. */
  api: { sizes: ['small', 'large'], targets: [peer, api] },
  /** One layer more each time between the socket and PostgreSQL. */
  layers: {
    sizes: ['small'],
    targets: [
      peer,
      { title: 'Koa + pg', history: 'raw_status_change', programs: [layer('pg')] },
      {
        title: 'Koa + Sequelize as it comes',
        history: 'status_change',
        programs: [layer('sequelize')],
      },
      {
        title: 'Koa + Sequelize with prepared statements',
        history: 'status_change',
        programs: [layer('prepared')],
      },
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
 * Starts every server of a comparison at once, so that all can be loaded in turn, each size on a database of its own.
 *
 * @throws Error where two of them answer differently
 */
export async function startTargets(
  name: ComparisonName,
  database: BenchDatabase,
  { signal, say }: Setting,
): Promise<Target[]> {
  const { sizes, targets } = COMPARISONS[name];
  const started: Target[] = [];
  for (const size of sizes) {
    const databaseUrl = await database.make(size, SIZES[size]);
    const ids = await readIds(databaseUrl, MAX_IDS);
    const ofSize: Target[] = [];
    for (const { title, history, programs } of targets) {
      const servers: ServerProcess[] = [];
      for (const program of programs) {
        const at = `${title} ${size} ${servers.length + 1}`;
        const setting = {
          directory: database.directory,
          databaseUrl,
          port: database.port(),
        };
        servers.push(
          await database.keep(startServer(program(at, setting), database.directory, signal)),
        );
      }
      ofSize.push({ title, size, servers, databaseUrl, ids, history });
    }
    await requireSameAnswers(
      ofSize.flatMap(({ servers }) => servers),
      ids,
    );
    say(`${size} database: ready, and all servers give the same bytes`);
    started.push(...ofSize);
  }
  return started;
}
