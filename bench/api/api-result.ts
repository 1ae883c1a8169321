import type { Result } from '../report.ts';
import type { Measured } from './measured.ts';
import { CONNECTIONS, OPERATIONS } from './operations.ts';
import { SIZES } from './seed.ts';
import { goals, summarise } from './summary.ts';
import type { ComparisonName } from './targets.ts';

const TITLES: Record<ComparisonName, string> = {
  api: 'The API beside node:http + pg',
  layers: 'What each layer of the API costs',
  processes: 'Two processes of the API beside one',
};
const PEER_NOTE =
  'The peer is a minimal server of `node:http` and `pg` with named statements and as large a pool, which gives the same bytes (compared before the measurement). Its tables have the same columns and indexes, but neither triggers, foreign keys nor hashes: its PATCH writes the ticket and the row of history in one statement. It checks nothing and logs nothing.';
const LAYERS_NOTE =
  "The layers on Koa have its router with as many routes as Airline and its body parser; they check nothing and log nothing. `Koa + pg` asks as the peer does. `Koa + Sequelize` uses `findAndCountAll`, `findByPk`, `create` and `update` with `returning` on Airline's own tables, whose trigger writes the chained history; with prepared statements, the same with a `pg` that names every statement with bound values. Sequelize's SELECTs have none: it writes their values into the text.";

/** What was measured of a comparison, with its goals. */
export function apiResult(
  name: ComparisonName,
  measured: readonly Measured[],
  { rounds, windowMs }: { rounds: number; windowMs: number },
): Result {
  const rows = summarise(measured);
  const { small, large } = SIZES;
  return {
    title: TITLES[name],
    notes: [
      `The small database has ${small.open} open tickets, the large one ${large.closed} closed ones besides; both are in one PostgreSQL as it ships (durable, autovacuum on). Airline's API runs with authentication off and logs every request; Temporal and RabbitMQ are not running, as no ticket needs them. autocannon keeps ${CONNECTIONS} connections busy. Medians of ${rounds} rounds of ${windowMs / 1_000} s, in each of which all servers are loaded in turn; a share is the median of the rounds' own. Load, servers and database share the cores; CPU is the processor time of the servers alone for one request.`,
      ...(name === 'processes' ? [] : [PEER_NOTE]),
      ...(name === 'layers' ? [LAYERS_NOTE] : []),
    ],
    goals: goals(name, rows),
    tables: OPERATIONS.map((operation) =>
      rows
        .filter((row) => row.operation === operation.name)
        .map(({ title, size, sample, share, growth }) => ({
          [operation.title]: title,
          database: size,
          'req/s': sample.requestsPerSecond,
          'share of the first': share,
          'share of small': growth,
          'p50, ms': sample.p50Ms,
          'p99, ms': sample.p99Ms,
          'CPU, µs': sample.cpuUsPerRequest,
        })),
    ),
  };
}
