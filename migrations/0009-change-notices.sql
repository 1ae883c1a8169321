-- Tells who listens on the channel airline_changes which tickets and builds have changed, once for each in a transaction.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  ticket integer;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  CASE TG_TABLE_NAME
    WHEN 'ticket' THEN ticket := changed.id;
    WHEN 'build' THEN
      PERFORM pg_notify('airline_changes', 'build ' || changed.id);
      -- A page of a ticket knows the builds that it shows, but not a new one.
      IF TG_OP = 'INSERT' THEN ticket := changed.ticket_id; END IF;
    WHEN 'subticket_artifact' THEN
      SELECT subticket.ticket_id INTO ticket FROM subticket WHERE id = changed.subticket_id;
    ELSE ticket := changed.ticket_id;
  END CASE;
  IF ticket IS NOT NULL THEN PERFORM pg_notify('airline_changes', 'ticket ' || ticket); END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ticket_announced AFTER INSERT OR UPDATE OR DELETE ON ticket
  FOR EACH ROW EXECUTE FUNCTION announce_change();
CREATE TRIGGER ticket_artifact_announced AFTER INSERT OR UPDATE OR DELETE ON ticket_artifact
  FOR EACH ROW EXECUTE FUNCTION announce_change();
CREATE TRIGGER subticket_announced AFTER INSERT OR UPDATE OR DELETE ON subticket
  FOR EACH ROW EXECUTE FUNCTION announce_change();
CREATE TRIGGER subticket_artifact_announced AFTER INSERT OR UPDATE OR DELETE ON subticket_artifact
  FOR EACH ROW EXECUTE FUNCTION announce_change();
CREATE TRIGGER build_announced AFTER INSERT OR UPDATE OR DELETE ON build
  FOR EACH ROW EXECUTE FUNCTION announce_change();
