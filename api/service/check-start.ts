import type { Logger } from 'pino';
import type { Database } from '../../models/database.ts';
import { assertMigrated } from '../../models/sql/known-migrations.ts';
import { withDeadline } from '../../timing/deadline.ts';
import { shareAnswer } from '../../timing/share-answer.ts';
import { orError } from './or-error.ts';

/**
 * Makes the check whether an API has what it cannot do without: a database that answers, with every migration that the
 * code knows. Once it has, the check says so for ever, so that a later outage ends no process. The log says what is
 * missing, as anybody may ask.
 *
 * @param options.timeoutMs time for the database to answer
 * @param options.maxAgeMs how long a check counts for that has found something missing
 */
export function createStartCheck(options: {
  database: Database;
  timeoutMs: number;
  maxAgeMs: number;
  logger: Logger;
}): () => Promise<boolean> {
  const { database, timeoutMs, maxAgeMs, logger } = options;
  let hasStarted = false;

  const examine = shareAnswer(async () => {
    const { error } = await orError(() =>
      withDeadline(assertMigrated(database.sequelize), timeoutMs),
    );
    if (error === undefined) hasStarted = true;
    else logger.warn({ problem: error }, 'not started');
  }, maxAgeMs);

  return async () => {
    if (!hasStarted) await examine();
    return hasStarted;
  };
}
