import type { Sequelize } from 'sequelize';
import { query } from '../../models/sql/query.ts';

const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Whether somebody, or as many as `count`, wait for a lock in a test's database. It asks in no transaction. */
export async function waitsForLock(sequelize: Sequelize, count = 1): Promise<boolean> {
  return (await query(sequelize, WAITING)).length >= count;
}
