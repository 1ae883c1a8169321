import { Op, Sequelize, type Transaction } from 'sequelize';
import { query } from './query.ts';

// The clocks of several machines differ; what they agree on is the database's.

/** @returns so many milliseconds from now, by the database's clock: to be written or compared */
export function fromNow(waitMs: number) {
  return Sequelize.literal(`clock_timestamp() + ${Math.round(waitMs)} * interval '1 ms'`);
}

/** Now, by the database's clock: to be written. */
export const NOW = Sequelize.literal('clock_timestamp()');

/**
 * Reads the database's clock.
 *
 * @returns gives its time, in milliseconds: counted on from here by a clock that nobody sets
 */
export async function readClock(sequelize: Sequelize): Promise<() => number> {
  const [row] = await query<{ ms: number }>(
    sequelize,
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS ms',
  );
  const ahead = (row?.ms ?? Number.NaN) - performance.now();
  return () => Math.round(performance.now() + ahead);
}

/** Now, by the database's clock: read on the connection of a transaction. */
export async function readNow(sequelize: Sequelize, transaction: Transaction): Promise<Date> {
  const [row] = await query<{ at: Date }>(
    sequelize,
    'SELECT clock_timestamp() AS at',
    [],
    transaction,
  );
  return row?.at ?? new Date(Number.NaN);
}

/** That there is no time to wait for, or it has come by the database's clock. */
export const DUE = { [Op.or]: [null, { [Op.lte]: NOW }] };
