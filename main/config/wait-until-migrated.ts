import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sequelize } from 'sequelize';
import { assertMigrated } from '../../models/sql/known-migrations.ts';
import { backoffMs } from '../../timing/backoff.ts';

/**
 * Waits, for however long, until a database answers and has every migration that this code knows. What is taken before
 * fails at each try, until it has had them all. The log says what is missing.
 */
export async function waitUntilMigrated(sequelize: Sequelize, logger: Logger): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await assertMigrated(sequelize);
    } catch (error) {
      const waitMs = backoffMs(failures, { firstMs: 200, maxMs: 5_000 });
      logger.warn({ waitMs, err: error }, 'the database does not answer, or is not migrated yet');
      await delay(waitMs);
    }
  }
}
