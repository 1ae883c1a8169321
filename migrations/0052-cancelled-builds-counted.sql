-- What was cancelled is counted by itself. Its state is that of a build that failed, so the count says `cancelled` instead.
CREATE OR REPLACE FUNCTION count_ended_builds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM ended_builds;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.finished_at IS NOT NULL THEN
    INSERT INTO ended_builds VALUES (CASE OLD.phase WHEN 'cancelled' THEN OLD.phase ELSE OLD.state END, -1);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.finished_at IS NOT NULL THEN
    INSERT INTO ended_builds VALUES (CASE NEW.phase WHEN 'cancelled' THEN NEW.phase ELSE NEW.state END, 1);
  END IF;
  RETURN NULL;
END $$;

-- To make it anew locks the table against changes until the builds that there are are counted.
DROP TRIGGER build_changed_counted ON build;
CREATE TRIGGER build_changed_counted AFTER UPDATE ON build
  FOR EACH ROW WHEN (
    (OLD.finished_at IS NULL) <> (NEW.finished_at IS NULL)
    OR OLD.finished_at IS NOT NULL AND (OLD.state <> NEW.state OR OLD.phase <> NEW.phase)
  )
  EXECUTE FUNCTION count_ended_builds();

DELETE FROM ended_builds;
INSERT INTO ended_builds
  SELECT CASE phase WHEN 'cancelled' THEN phase ELSE state END AS how, count(*)
  FROM build WHERE finished_at IS NOT NULL GROUP BY how;
