import type { Sequelize } from 'sequelize';
import { query } from '../sql/query.ts';

/** Fewer rows are added up as they are read. */
const MAX_ROWS = 100;

/** Adds up what the trigger of builds has written of each state, so that to count the builds stays cheap. */
export async function addUpEndedBuilds(sequelize: Sequelize): Promise<void> {
  await query(
    sequelize,
    `WITH taken AS (
       DELETE FROM ended_builds WHERE (SELECT count(*) FROM ended_builds) > ${MAX_ROWS} RETURNING state, builds
     )
     INSERT INTO ended_builds SELECT state, sum(builds) FROM taken GROUP BY state`,
  );
}
