import type { Logger } from 'pino';
import type { Database } from '../models/database.ts';
import type { BuildWorkflows } from './build-workflows.ts';

/** What every step of the dispatcher works with. */
export type DispatchContext = {
  database: Database;
  workflows: BuildWorkflows;
  logger: Logger;
};

/** Builds that a step reads from the database at once. */
export const BATCH_SIZE = 100;
