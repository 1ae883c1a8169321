-- Builds that have no workflow are started in the order in which they, or their retries, were requested. Code of before
-- takes them by their ids, and sorts those that wait. The old index is dropped first, which needs the table for itself.
-- After the new one, this and a transaction that has read the table and wants to write would wait for each other.
DROP INDEX build_not_dispatched;
CREATE INDEX build_not_dispatched ON build (requested_at, id) WHERE dispatched_at IS NULL AND finished_at IS NULL;
