-- A row's revision is its ETag.
ALTER TABLE ticket ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE subticket ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE source_package ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE source_package_upload ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE ticket_artifact ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE subticket_artifact ADD COLUMN revision integer NOT NULL DEFAULT 1;

-- Lists give open tickets by id, and count them: both read this index, however many closed tickets there are.
CREATE INDEX ticket_open ON ticket (id) WHERE current_workflow_step < 999;
CREATE INDEX ticket_by_owner ON ticket (owner, id);

-- The end of a ticket's chain of status changes.
ALTER TABLE ticket ADD COLUMN history_seq integer NOT NULL DEFAULT 0, ADD COLUMN history_hash bytea NOT NULL DEFAULT '';
-- Who changes the row, why, and by which request: what an UPDATE tells its trigger. They are empty again when it ends.
ALTER TABLE ticket ADD COLUMN changed_by text, ADD COLUMN change_reason text, ADD COLUMN change_request_id text;
ALTER TABLE subticket ADD COLUMN changed_by text, ADD COLUMN change_reason text, ADD COLUMN change_request_id text;

-- The subticket that was opened in place of this one after it failed; its ticket goes on without it.
ALTER TABLE subticket ADD COLUMN replaced_by_id integer REFERENCES subticket ON DELETE RESTRICT;
CREATE INDEX subticket_by_replacement ON subticket (replaced_by_id) WHERE replaced_by_id IS NOT NULL;

CREATE TABLE status_change (
  ticket_id integer NOT NULL REFERENCES ticket ON DELETE RESTRICT,
  seq integer NOT NULL,
  -- Empty where the ticket itself changed.
  subticket_id integer REFERENCES subticket ON DELETE RESTRICT,
  from_step integer NOT NULL,
  to_step integer NOT NULL,
  from_status integer NOT NULL,
  to_status integer NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  request_id text,
  created_at timestamptz NOT NULL,
  -- Of the change before it and of everything above.
  hash bytea NOT NULL,
  PRIMARY KEY (ticket_id, seq)
);
CREATE INDEX status_change_by_subticket ON status_change (subticket_id, seq) WHERE subticket_id IS NOT NULL;

CREATE FUNCTION status_change_hash(previous bytea, change status_change) RETURNS bytea
LANGUAGE sql STABLE AS $$
  SELECT sha256(previous || convert_to(jsonb_build_array(
    change.ticket_id, change.seq, change.subticket_id, change.from_step, change.to_step, change.from_status,
    change.to_status, change.actor, change.reason, change.request_id,
    (extract(epoch FROM change.created_at) * 1000000)::bigint
  )::text, 'UTF8'))
$$;

-- The ticket's row is locked by whoever changes it, so its chain grows one change at a time.
CREATE FUNCTION record_ticket_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE change status_change;
BEGIN
  IF NEW.current_workflow_step <> OLD.current_workflow_step OR NEW.status <> OLD.status THEN
    change := (
      NEW.id, OLD.history_seq + 1, NULL, OLD.current_workflow_step, NEW.current_workflow_step, OLD.status, NEW.status,
      coalesce(NEW.changed_by, 'database user ' || session_user), coalesce(NEW.change_reason, ''),
      NEW.change_request_id, clock_timestamp(), NULL
    );
    change.hash := status_change_hash(OLD.history_hash, change);
    INSERT INTO status_change VALUES (change.*);
    NEW.history_seq := change.seq;
    NEW.history_hash := change.hash;
  END IF;
  NEW.changed_by := NULL;
  NEW.change_reason := NULL;
  NEW.change_request_id := NULL;
  RETURN NEW;
END
$$;

CREATE FUNCTION record_subticket_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change status_change;
  previous bytea;
BEGIN
  IF NEW.current_workflow_step <> OLD.current_workflow_step OR NEW.status <> OLD.status THEN
    change := (
      NEW.ticket_id, NULL, NEW.id, OLD.current_workflow_step, NEW.current_workflow_step, OLD.status, NEW.status,
      coalesce(NEW.changed_by, 'database user ' || session_user), coalesce(NEW.change_reason, ''),
      NEW.change_request_id, clock_timestamp(), NULL
    );
    SELECT history_seq + 1, history_hash INTO change.seq, previous FROM ticket WHERE id = NEW.ticket_id FOR UPDATE;
    change.hash := status_change_hash(previous, change);
    INSERT INTO status_change VALUES (change.*);
    UPDATE ticket SET history_seq = change.seq, history_hash = change.hash WHERE id = NEW.ticket_id;
  END IF;
  NEW.changed_by := NULL;
  NEW.change_reason := NULL;
  NEW.change_request_id := NULL;
  RETURN NEW;
END
$$;

CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'status_change is append-only';
END
$$;

CREATE TRIGGER ticket_change BEFORE UPDATE ON ticket
  FOR EACH ROW EXECUTE FUNCTION record_ticket_change();
CREATE TRIGGER subticket_change BEFORE UPDATE ON subticket
  FOR EACH ROW EXECUTE FUNCTION record_subticket_change();
CREATE TRIGGER status_change_append_only BEFORE UPDATE OR DELETE ON status_change
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_history();
CREATE TRIGGER status_change_not_truncated BEFORE TRUNCATE ON status_change
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_history();
