-- A page of a ticket that loses a part to another ticket is told of it, too.
CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  ticket integer;
  former integer;
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
      IF TG_OP = 'UPDATE' AND OLD.subticket_id <> NEW.subticket_id THEN
        SELECT subticket.ticket_id INTO former FROM subticket WHERE id = OLD.subticket_id;
      END IF;
    ELSE
      ticket := changed.ticket_id;
      IF TG_OP = 'UPDATE' THEN former := OLD.ticket_id; END IF;
  END CASE;
  IF ticket IS NOT NULL THEN
    INSERT INTO change_notice (kind, object_id) VALUES ('ticket', ticket);
  END IF;
  IF former <> ticket THEN
    INSERT INTO change_notice (kind, object_id) VALUES ('ticket', former);
  END IF;
  RETURN NULL;
END
$$;
