import { Op, Sequelize } from 'sequelize';

// The clocks of several machines differ; what they agree on is the database's.

/** @returns so many milliseconds from now, by the database's clock: to be written or compared */
export function fromNow(waitMs: number) {
  return Sequelize.literal(`clock_timestamp() + ${Math.round(waitMs)} * interval '1 ms'`);
}

/** That a time to wait for is none, or has come by the database's clock. */
export const DUE = { [Op.or]: [null, { [Op.lte]: Sequelize.literal('clock_timestamp()') }] };
