import { QueryTypes } from 'sequelize';
import type { Database } from '../../models/database.ts';

/** Inserts a ticket and a build of it, whose progress queue is `progressTrigger`, and gives the build's id. */
export async function insertBuild(
  { sequelize }: Pick<Database, 'sequelize'>,
  progressTrigger: string,
): Promise<number> {
  const [row] = await sequelize.query<{ id: number }>(
    `WITH ticket AS (INSERT INTO ticket (owner, title) VALUES ('a@airline.example', 'A ticket') RETURNING id)
     INSERT INTO build (ticket_id, source_packages, series, ppa, archive, progress_trigger)
     SELECT id, '["http://127.0.0.1/hello_1.0_source.changes"]', 'bookworm', 'ppa:team/landing', 'ubuntu', $queue
     FROM ticket RETURNING id`,
    { bind: { queue: progressTrigger }, type: QueryTypes.SELECT },
  );
  if (!row) throw new Error('no row came back');
  return row.id;
}
