-- How many commits of progress events a second: the row of a build moves on, and its event is added.
--   psql "$AIRLINE_DATABASE_URL" -c "INSERT INTO ticket (owner, title) VALUES ('bench', 'bench')" -c "INSERT INTO build
--     (ticket_id, source_packages, series, ppa, archive) SELECT max(id), '[]', 'sid', 'ppa', 'debian' FROM ticket, generate_series(1, 1000) GROUP BY ticket.id"
--   pgbench --no-vacuum --client 16 --time 10 --file bench/event-commits.sql "$AIRLINE_DATABASE_URL"
\set build random(1, 1000)
BEGIN;
UPDATE build SET last_seq = last_seq + 1, reported_at = now() WHERE id = :build RETURNING last_seq AS seq \gset
INSERT INTO progress_event (build_id, seq, key, body, published_at) VALUES (:build, :seq, :seq::text, '{"state": "STATUS"}', now());
COMMIT;
