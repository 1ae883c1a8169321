import type { Client } from 'pg';
import { migrate } from '../../models/sql/migrate.ts';
import { withClient } from '../with-client.ts';

/** How many rows a database has, with a landing for each build. What is under way is the same in all. */
export type Rows = { tickets: number; builds: number };

/** Open tickets, the newest. */
export const OPEN_TICKETS = 3_000;
/** Builds that have not ended, the newest. */
export const UNFINISHED_BUILDS = 1_000;
/** Source packages. A distribution has as many after a year as before, and each has more builds. */
const PACKAGES = 3_000;

const LOADED = [
  'ticket',
  'ticket_text',
  'status_change',
  'build',
  'progress_event',
  'build_record',
  'landing',
];

/**
 * Makes a database: every migration, and the rows, written without triggers and before the indexes, which an insertion
 * of ten millions would otherwise take hours for.
 *
 * @param say is told of each step
 */
export async function makeLargeDatabase(
  url: string,
  rows: Rows,
  say: (line: string) => void,
): Promise<void> {
  await migrate(url);
  await withClient(url, async (client) => {
    const indexes = await dropIndexes(client);
    await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '1GB'");
    for (const [what, sql] of Object.entries({ ...inserts(rows), ...indexes })) {
      const startedAtMs = Date.now();
      await client.query(sql);
      const tookS = Math.round((Date.now() - startedAtMs) / 1_000);
      if (tookS > 10) say(`${what}: ${tookS} s`);
    }
    await client.query(`SELECT setval(pg_get_serial_sequence(name, 'id'), ids.last)
      FROM (VALUES ('ticket', ${rows.tickets}), ('build', ${rows.builds}), ('landing', ${rows.builds})) ids (name, last)`);
    for (const sql of waiting(rows)) await client.query(sql);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  });
}

/** What the publisher and the dispatcher find to do, and what triggers would have added up. */
function waiting({ builds }: Rows): string[] {
  return [
    `UPDATE build SET dispatched_at = NULL, taken_at = NULL, state = 'queued', phase = 'queued' WHERE id > ${builds - 20}`,
    `UPDATE build SET cancel_requested_at = now() WHERE id BETWEEN ${builds - 39} AND ${builds - 20}`,
    `UPDATE progress_event SET published_at = NULL WHERE build_id BETWEEN ${builds - 59} AND ${builds - 40} AND seq = 4`,
    'DELETE FROM ended_builds',
    `INSERT INTO ended_builds SELECT CASE phase WHEN 'cancelled' THEN phase ELSE state END AS how, count(*)
     FROM build WHERE finished_at IS NOT NULL GROUP BY how`,
    'DELETE FROM package_statistics',
    `INSERT INTO package_statistics
     SELECT package, count(*), count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'), 0,
       600000, max(version), max(finished_at) FROM build_record GROUP BY package`,
  ];
}

/** Drops the indexes of the large tables that hold up no constraint. @returns what makes them again, by name */
async function dropIndexes(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = ANY($1::text[]::regclass[]) AND NOT indisunique`,
    [LOADED],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

function inserts({ tickets, builds }: Rows): Record<string, string> {
  const lastEnded = builds - UNFINISHED_BUILDS;
  const ended = `id <= ${lastEnded}`;
  // The newest build is of this moment, each other one half a minute older than the next.
  const at = (id: string) => `now() - (${builds} - ${id}) * interval '30 seconds'`;
  return {
    tickets: `
      INSERT INTO ticket (id, owner, title, description, bug_id, current_workflow_step, status, created_at, updated_at)
      SELECT id, 'developer' || id % 200 || '@example.com',
        'Landing ' || id || ': fix the crash of package-' || id % ${PACKAGES} || ' on start-up',
        'It should say so and go on. Merge request ' || id || '.', (1000000 + id)::text,
        CASE WHEN id > ${tickets - OPEN_TICKETS} THEN 200 WHEN id % 10 = 0 THEN 999 ELSE 1000 END,
        CASE WHEN id > ${tickets - OPEN_TICKETS} THEN 100 WHEN id % 10 = 0 THEN 999 ELSE 1000 END,
        now() - (${tickets} - id) * interval '3 seconds', now() - (${tickets} - id) * interval '3 seconds'
      FROM generate_series(1, ${tickets}) id`,
    'texts of tickets': `
      INSERT INTO ticket_text
      SELECT id, lower(concat_ws(E'\\n', title, owner, bug_id, description)) FROM ticket`,
    moves: `
      INSERT INTO status_change (ticket_id, seq, from_step, to_step, from_status, to_status, actor, reason, created_at, hash)
      SELECT id, 1, 100, 200, 100, 100, 'lander-' || id % 50, 'its build was requested',
        now() - (${tickets} - id) * interval '30 seconds', ''
      FROM generate_series(${tickets - builds + 1}, ${tickets}) id`,
    builds: `
      INSERT INTO build (id, ticket_id, source_packages, series, ppa, archive, progress_trigger, request_id, state, phase,
        architecture_builds, package_names, last_seq, created_at, updated_at, requested_at, phase_since, reported_at,
        dispatched_at, taken_at, finished_at, requested_by, cancel_requested_at, cancel_requested_by, failure, attempt_key)
      SELECT id, ${tickets} - ${builds} + id,
        jsonb_build_array('https://sources.example/' || name || '_1.0-' || id || '.dsc'),
        (ARRAY['sid', 'noble', 'jammy'])[1 + id % 3], 'ppa:team/' || id % 100, 'ubuntu', 'airline-build-' || id,
        'request-' || id, state, phase, jsonb_build_array(jsonb_build_object('package', name, 'version', '1.0-' || id,
          'architecture', 'amd64', 'state', CASE WHEN ${ended} THEN 'completed' ELSE 'building' END)),
        ARRAY[name], 4, at, at, at, at, at, at, at,
        CASE WHEN ${ended} THEN at + interval '20 minutes' END, 'lander-' || id % 50,
        CASE WHEN id % 500 = 0 THEN at END, CASE WHEN id % 500 = 0 THEN 'lander-' || id % 50 END,
        CASE WHEN state = 'failed' THEN jsonb_build_object('class',
          CASE WHEN id % 10000 = 0 THEN 'chroot_problem' ELSE 'build_failed' END, 'retryable', false,
          'message', 'the build has failed') END, gen_random_uuid()
      FROM generate_series(1, ${builds}) id,
        LATERAL (SELECT 'package-' || id % ${PACKAGES} AS name, ${at('id')} AS at,
          CASE WHEN NOT ${ended} THEN 'building' WHEN id % 10 = 0 THEN 'failed' ELSE 'completed' END AS state) made,
        LATERAL (SELECT CASE WHEN NOT ${ended} THEN (ARRAY['building', 'waiting_for_builder'])[1 + id % 2] ELSE state END
          AS phase) phases`,
    events: `
      INSERT INTO progress_event (build_id, seq, key, body, created_at, published_at, attempt)
      SELECT id, seq, 'report-' || seq, jsonb_build_object('build_id', id, 'ticket_id', ticket_id, 'seq', seq,
          'ppa', ppa, 'series', series, 'phase', phase, 'phase_since', requested_at,
          'message', CASE WHEN seq = 4 AND ${ended} THEN 'COMPLETE' ELSE 'INPROGRESS' END) ||
          CASE WHEN seq = 4 AND ${ended} THEN '{"exit": 0}'::jsonb ELSE '{}'::jsonb END,
        requested_at, requested_at, 1
      FROM build, generate_series(1, 4) seq ORDER BY id, seq`,
    'build records': `
      INSERT INTO build_record
      SELECT id, 1, package_names[1], '1.0-' || id, architecture, series, ppa, state, 600000, finished_at, finished_at
      FROM build, unnest(ARRAY['amd64', 'arm64']) architecture WHERE finished_at IS NOT NULL`,
    // All have ended. A page of the oldest went where no other does.
    landings: `
      INSERT INTO landing (id, ticket_id, ppa, archive, series, target, target_series, pocket, packages, phase, phase_since,
        parts, decision, decision_delivered_at, requested_at, requested_by, created_at, updated_at, dispatched_at,
        cancel_requested_at, cancel_requested_by, finished_at)
      SELECT id, ticket_id, ppa, archive, series,
        CASE WHEN id <= 50 THEN '~team/debian/rare' ELSE '~team/debian/landed' END, series, 'Release',
        jsonb_build_array(jsonb_build_object('source', package_names[1])),
        CASE WHEN is_cancelled THEN 'cancelled' WHEN id % 7 = 0 THEN 'failed' ELSE 'complete' END,
        ended_at, '[]',
        CASE WHEN NOT is_cancelled THEN jsonb_build_object('decision', 'approve', 'by', 'lander-' || id % 50, 'comment', '')
          END,
        CASE WHEN NOT is_cancelled THEN ended_at END, requested_at, requested_by, requested_at, ended_at, requested_at,
        CASE WHEN is_cancelled THEN ended_at END,
        CASE WHEN is_cancelled THEN 'lander-' || id % 50 || ' (request ' || id || ')' END, ended_at
      FROM build,
        LATERAL (SELECT id % 20 = 1 AS is_cancelled, requested_at + interval '30 minutes' AS ended_at) made`,
  };
}
