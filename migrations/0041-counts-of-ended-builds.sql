-- How many builds have ended in each state: the sum of the rows of a state. To count a million builds for each scrape of
-- the metrics takes longer than a scrape may. A change adds a row, so that no two builds wait for each other; the rows of
-- a state are added up now and then.
CREATE TABLE ended_builds (
  state text NOT NULL,
  builds bigint NOT NULL
);

CREATE FUNCTION count_ended_builds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM ended_builds;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.finished_at IS NOT NULL THEN
    INSERT INTO ended_builds VALUES (OLD.state, -1);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.finished_at IS NOT NULL THEN
    INSERT INTO ended_builds VALUES (NEW.state, 1);
  END IF;
  RETURN NULL;
END $$;

-- They lock the table against changes until the builds that there are are counted.
CREATE TRIGGER build_added_counted AFTER INSERT ON build
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION count_ended_builds();
CREATE TRIGGER build_changed_counted AFTER UPDATE ON build
  FOR EACH ROW WHEN ((OLD.finished_at IS NULL) <> (NEW.finished_at IS NULL) OR OLD.finished_at IS NOT NULL AND OLD.state <> NEW.state)
  EXECUTE FUNCTION count_ended_builds();
CREATE TRIGGER build_removed_counted AFTER DELETE ON build
  FOR EACH ROW WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION count_ended_builds();
CREATE TRIGGER builds_truncated_counted AFTER TRUNCATE ON build
  FOR EACH STATEMENT EXECUTE FUNCTION count_ended_builds();

INSERT INTO ended_builds SELECT state, count(*) FROM build WHERE finished_at IS NOT NULL GROUP BY state;
