-- Changes are told by rows, no longer by NOTIFY: PostgreSQL lets commits that notify take turns, each with a flush of
-- its own. Unlogged: a crash empties the table and cuts the connections of its readers, who then load everything again.
CREATE UNLOGGED TABLE change_notice (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind text NOT NULL,
  object_id integer NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX change_notice_xid ON change_notice (xid);

CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  ticket integer;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  CASE TG_TABLE_NAME
    WHEN 'ticket' THEN ticket := changed.id;
    WHEN 'build' THEN
      INSERT INTO change_notice (kind, object_id) VALUES ('build', changed.id);
      -- A page of a ticket knows the builds that it shows, but not a new one.
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
