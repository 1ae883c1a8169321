-- Pages of landings are told of changes, too: of a landing's own row, of its tests and of what they say.
CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  ticket integer;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  CASE TG_TABLE_NAME
    WHEN 'ticket' THEN ticket := changed.id;
    WHEN 'build', 'landing' THEN
      INSERT INTO change_notice (kind, object_id) VALUES (TG_TABLE_NAME, changed.id);
      -- A page of a ticket knows the builds and landings that it shows, but not a new one.
      IF TG_OP = 'INSERT' THEN ticket := changed.ticket_id; END IF;
    WHEN 'subticket_artifact' THEN
      SELECT subticket.ticket_id INTO ticket FROM subticket WHERE id = changed.subticket_id;
    ELSE ticket := changed.ticket_id;
  END CASE;
  IF ticket IS NOT NULL THEN
    INSERT INTO change_notice (kind, object_id) VALUES ('ticket', ticket);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER landing_announced AFTER INSERT OR UPDATE OR DELETE ON landing
  FOR EACH ROW EXECUTE FUNCTION announce_change();

-- Once for a statement: one may plan or judge thousands of tests.
CREATE FUNCTION announce_tests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_notice (kind, object_id)
    SELECT DISTINCT 'landing', landing_id FROM changed WHERE landing_id IS NOT NULL;
  RETURN NULL;
END
$$;

CREATE TRIGGER test_run_added AFTER INSERT ON test_run
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_tests();
CREATE TRIGGER test_run_changed AFTER UPDATE ON test_run
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_tests();
CREATE TRIGGER test_verdict_added AFTER INSERT ON test_verdict
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_tests();
CREATE TRIGGER test_verdict_changed AFTER UPDATE ON test_verdict
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_tests();
