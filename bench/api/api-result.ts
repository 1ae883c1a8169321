import { atLeast, below, type Goal, type Result, type Row } from '../report.ts';
import { medians, shareOf, type Rounds } from '../rounds.ts';
import { CONNECTIONS, OPERATIONS, type Operation, type OperationName } from './operations.ts';
import { SIZES, type Size } from './seed.ts';
import { AIRLINE, COMPARISONS, targetTitle, type ComparisonName } from './targets.ts';

/** Least throughput with all the closed tickets, as a share of that without them. */
const MIN_GROWTH_RATIO = 0.8;
/** Least throughput of two processes, as a share of that of one. */
const MIN_PROCESSES_RATIO = 1.5;
const MAX_P99_MS = 50;

const TITLES: Record<ComparisonName, string> = {
  api: 'The API beside node:http + pg',
  layers: 'What each layer of the API costs',
  processes: 'Two processes of the API beside one',
};
const PEER_NOTE =
  'The peer is a minimal server of `node:http` and `pg` with named statements and as large a pool, which gives the same bytes (compared before the measurement). Its tables have the same columns and indexes, but neither triggers, foreign keys nor hashes: its PATCH writes the ticket and the row of history in one statement. It checks nothing and logs nothing. It asks PostgreSQL once for each request; Airline reads the details that are asked for at the same moment in one statement, and a page that several ask for at the same moment once: here all connections ask for the same page.';
const LAYERS_NOTE =
  "The layers on Koa have its router with as many routes as Airline and its body parser; they check nothing and log nothing. `Koa + pg` asks as the peer does. `Koa + Sequelize` uses `findAndCountAll`, `findByPk`, `create` and `update` with `returning` on Airline's own tables, whose trigger writes the chained history; with prepared statements, the same with a `pg` that names every statement with bound values. Sequelize's SELECTs have none: it writes their values into the text.";

/** The rounds of each operation that was measured. */
export type Measured = ReadonlyMap<OperationName, Rounds>;

/** What was measured of a comparison, with its goals. */
export function apiResult(
  name: ComparisonName,
  measured: Measured,
  { rounds, windowMs }: { rounds: number; windowMs: number },
): Result {
  const { small, large } = SIZES;
  const operations = OPERATIONS.filter((operation) => measured.has(operation.name));
  return {
    title: TITLES[name],
    notes: [
      `The small database has ${small.open} open tickets, the large one ${large.closed} closed ones besides; both are in one PostgreSQL as it ships (durable, autovacuum on). Airline's API runs with authentication off and logs every request; Temporal and RabbitMQ are not running, as no ticket needs them. autocannon keeps ${CONNECTIONS} connections busy. Medians of ${rounds} rounds of ${windowMs / 1_000} s, in each of which all servers are loaded in turn; a share is the median of the rounds' own. Load, servers and database share the cores; CPU is the processor time of the servers alone for one request.`,
      ...(name === 'processes' ? [] : [PEER_NOTE]),
      ...(name === 'layers' ? [LAYERS_NOTE] : []),
    ],
    goals: operations.flatMap((operation) => goals(name, operation, measured)),
    tables: operations.map((operation) => summariseOperation(name, operation, measured)),
  };
}

/** A table of medians. Shares are of the first target on the same database, and of the same target on the small one. */
export function summariseOperation(
  name: ComparisonName,
  operation: Operation,
  measured: Measured,
): Row[] {
  const rounds: Rounds = measured.get(operation.name) ?? new Map();
  const { sizes, targets } = COMPARISONS[name];
  return sizes.flatMap((size) =>
    targets.map(({ title }) => {
      const target = targetTitle(title, size);
      return {
        [operation.title]: title,
        database: size,
        ...medians(rounds, target),
        'share of the first': shareOf(rounds, target, targetTitle(targets[0].title, size)),
        'share of small': shareOf(rounds, target, targetTitle(title, 'small')),
      };
    }),
  );
}

/** The goals of a comparison: a share of the peer's throughput, a latency, and that closed tickets cost little. */
export function goals(name: ComparisonName, operation: Operation, measured: Measured): Goal[] {
  const rowOf = (title: string, size: Size) =>
    summariseOperation(name, operation, measured).find(
      (row) => row[operation.title] === title && row['database'] === size,
    );
  const figure = (title: string, size: Size, column: string) =>
    Number(rowOf(title, size)?.[column]);
  const what = operation.name;
  switch (name) {
    case 'api':
      return [
        ...COMPARISONS.api.sizes.flatMap((size) => [
          atLeast(
            `${what}, ${size}: throughput as a share of the peer's`,
            figure(AIRLINE, size, 'share of the first'),
            operation.floor,
          ),
          below(`${what}, ${size}: p99 in ms`, figure(AIRLINE, size, 'p99, ms'), MAX_P99_MS),
        ]),
        atLeast(
          `${what}: throughput large as a share of small`,
          figure(AIRLINE, 'large', 'share of small'),
          MIN_GROWTH_RATIO,
        ),
      ];
    case 'processes':
      return [
        atLeast(
          `${what}: two processes as a share of one`,
          figure(COMPARISONS.processes.targets[1].title, 'small', 'share of the first'),
          MIN_PROCESSES_RATIO,
        ),
      ];
    case 'layers':
      return [];
  }
}
