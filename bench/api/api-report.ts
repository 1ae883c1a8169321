import type { Report } from '../report.ts';
import type { MeasureOptions, Measured } from './measure.ts';
import { CONNECTIONS, OPERATIONS } from './operations.ts';
import { SIZES } from './seed.ts';
import { goals, summarise } from './summary.ts';
import type { ComparisonName } from './targets.ts';

const count = (number: number) => number.toLocaleString('en-US', { maximumFractionDigits: 0 });

const TITLES: Record<ComparisonName, string> = {
  api: 'The API beside node:http + pg',
  layers: 'What each layer of the API costs',
  processes: 'Two processes of the API beside one',
};
const LAYERS_NOTE =
  "The layers on Koa have its router with as many routes as Airline and its body parser; they check nothing and log nothing. `Koa + pg` asks as the peer does. `Koa + Sequelize` uses `findAndCountAll`, `findByPk`, `create` and `update` with `returning` on Airline's own tables, whose trigger writes the chained history; with prepared statements, the same with a `pg` that names every statement with bound values, which Sequelize's SELECTs have none of.";

/** A comparison for people. */
export function apiReport(
  name: ComparisonName,
  measured: readonly Measured[],
  { rounds, windowMs }: Pick<MeasureOptions, 'rounds' | 'windowMs'>,
): Report {
  const rows = summarise(measured);
  const reached = goals(name, rows);
  return {
    title: TITLES[name],
    notes: [
      `The small database has ${count(SIZES.small.open)} open tickets, the large one ${count(SIZES.large.closed)} closed ones besides; both are in one PostgreSQL as it ships (durable, autovacuum on). Airline's API runs with authentication off and logs every request; Temporal and RabbitMQ are not running, as no ticket needs them. autocannon keeps ${CONNECTIONS} connections busy. Medians of ${rounds} rounds of ${windowMs / 1_000} s, in each of which all servers are loaded in turn; a share is the median of the rounds' own.`,
      'The peer is a minimal server of `node:http` and `pg` with named statements and as large a pool, which gives the same bytes (compared before the measurement). Its tables have the same columns and indexes, but neither triggers, foreign keys nor hashes: its PATCH writes the ticket and the row of history in one statement. It checks nothing and logs nothing. Load, servers and database share the cores; `CPU` is the processor time of the servers alone for one request.',
      ...(name === 'layers' ? [LAYERS_NOTE] : []),
    ],
    tables: [
      ...(reached.length === 0
        ? []
        : [
            {
              head: ['goal', 'measured', 'limit', ''],
              rows: reached.map(({ what, value, limit, isMet }) => [
                what,
                value.toFixed(2),
                String(limit),
                isMet ? 'met' : 'missed',
              ]),
            },
          ]),
      ...OPERATIONS.flatMap(({ name: operation, title }) => {
        const ofOperation = rows.filter((row) => row.operation === operation);
        if (ofOperation.length === 0) return [];
        return {
          head: [title, 'database', 'req/s', 'share', 'p50, ms', 'p99, ms', 'CPU, µs'],
          rows: ofOperation.map((row) => [
            row.title,
            row.size,
            count(row.sample.requestsPerSecond),
            row.share.toFixed(2),
            row.sample.p50Ms.toFixed(1),
            row.sample.p99Ms.toFixed(1),
            count(row.sample.cpuUsPerRequest),
          ]),
        };
      }),
    ],
  };
}
