import type { Logger } from 'pino';
import type { Database } from '../models/database.ts';
import type { TemporalWorkflows } from './temporal-workflows.ts';

/** What every step of the dispatcher works with. */
export type DispatchContext = {
  database: Database;
  workflows: TemporalWorkflows;
  logger: Logger;
};

/** Rows that a step reads from the database at once. */
export const BATCH_SIZE = 100;
