-- What a page of packages shows of their builds, kept with each record: to add it up from millions of records for each
-- page takes too long.
CREATE TABLE package_statistics (
  package text PRIMARY KEY,
  builds integer NOT NULL DEFAULT 0,
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  median_build_ms double precision,
  built_version text,
  last_build_at timestamptz
);

-- Of packages whose records have changed by so many: the counts are carried on, the rest is that of the latest records.
CREATE FUNCTION keep_package_statistics() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM package_statistics;
    RETURN NULL;
  END IF;
  -- In one order, so that builds that end together take turns.
  INSERT INTO package_statistics (package)
    SELECT DISTINCT package FROM changed ORDER BY package ON CONFLICT DO NOTHING;
  PERFORM FROM package_statistics WHERE package IN (SELECT package FROM changed) ORDER BY package FOR UPDATE;
  UPDATE package_statistics kept SET
    builds = kept.builds + sign * counted.builds,
    succeeded = kept.succeeded + sign * counted.succeeded,
    failed = kept.failed + sign * counted.failed,
    cancelled = kept.cancelled + sign * counted.cancelled,
    median_build_ms = (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) FROM (
        SELECT duration_ms FROM build_record WHERE package = kept.package AND state = 'completed' AND duration_ms IS NOT NULL
        ORDER BY finished_at DESC LIMIT 500
      ) latest
    ),
    built_version = (
      SELECT version FROM build_record WHERE package = kept.package ORDER BY finished_at DESC, build_id DESC LIMIT 1
    ),
    last_build_at = (
      SELECT finished_at FROM build_record WHERE package = kept.package ORDER BY finished_at DESC LIMIT 1
    )
  FROM (
    SELECT package, count(*) AS builds, count(*) FILTER (WHERE state = 'completed') AS succeeded,
      count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled
    FROM changed GROUP BY package
  ) counted
  WHERE kept.package = counted.package;
  DELETE FROM package_statistics WHERE builds = 0 AND package IN (SELECT package FROM changed);
  RETURN NULL;
END $$;

-- They lock the table against changes until the records that there are are counted.
CREATE TRIGGER build_records_added AFTER INSERT ON build_record REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_package_statistics();
CREATE TRIGGER build_records_removed AFTER DELETE ON build_record REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_package_statistics();
CREATE TRIGGER build_records_truncated AFTER TRUNCATE ON build_record
  FOR EACH STATEMENT EXECUTE FUNCTION keep_package_statistics();

INSERT INTO package_statistics
  SELECT package, count(*), count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'),
    count(*) FILTER (WHERE state = 'cancelled'),
    (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) FROM (
        SELECT duration_ms FROM build_record one
        WHERE one.package = record.package AND state = 'completed' AND duration_ms IS NOT NULL
        ORDER BY finished_at DESC LIMIT 500
      ) latest
    ),
    (SELECT version FROM build_record one WHERE one.package = record.package ORDER BY finished_at DESC, build_id DESC LIMIT 1),
    max(finished_at)
  FROM build_record record GROUP BY package;
