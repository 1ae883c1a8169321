-- Where a ticket or subticket failed, and why: Failed takes the place of the step that it was at.
ALTER TABLE ticket
  ADD COLUMN failed_at_step integer,
  -- Empty where the ticket failed by itself.
  ADD COLUMN failed_subticket_id integer REFERENCES subticket ON DELETE RESTRICT,
  ADD COLUMN failure_reason text;
ALTER TABLE subticket ADD COLUMN failed_at_step integer, ADD COLUMN failure_reason text;
CREATE INDEX ticket_by_failed_subticket ON ticket (failed_subticket_id) WHERE failed_subticket_id IS NOT NULL;

CREATE FUNCTION has_failed(step integer, status integer) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT step = 999 OR status = 999 $$;

-- Runs before the trigger of the history, which empties the reason: triggers of a table run in the order of their names.
CREATE FUNCTION keep_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_failed(NEW.current_workflow_step, NEW.status) THEN
    NEW.failed_at_step := NULL;
    NEW.failure_reason := NULL;
    IF TG_TABLE_NAME = 'ticket' THEN NEW.failed_subticket_id := NULL; END IF;
  ELSIF NOT has_failed(OLD.current_workflow_step, OLD.status) THEN
    NEW.failed_at_step := coalesce(NEW.failed_at_step, OLD.current_workflow_step);
    NEW.failure_reason := coalesce(NEW.failure_reason, NEW.change_reason, '');
  END IF;
  RETURN NEW;
END
$$;

ALTER TABLE ticket DISABLE TRIGGER USER;
ALTER TABLE subticket DISABLE TRIGGER USER;
UPDATE subticket SET failed_at_step = failure.from_step, failure_reason = failure.reason
FROM (
  SELECT DISTINCT ON (subticket_id) subticket_id, from_step, reason FROM status_change
  WHERE has_failed(to_step, to_status) AND NOT has_failed(from_step, from_status) AND subticket_id IS NOT NULL
  ORDER BY subticket_id, seq DESC
) failure
WHERE failure.subticket_id = subticket.id AND has_failed(current_workflow_step, status);
UPDATE ticket SET failed_at_step = failure.from_step, failure_reason = failure.reason,
  -- A caller, too, may have given such a reason, with any number.
  failed_subticket_id = (
    SELECT id FROM subticket
    WHERE subticket.ticket_id = ticket.id AND 'subticket ' || subticket.id || ' has failed' = failure.reason
  )
FROM (
  SELECT DISTINCT ON (ticket_id) ticket_id, from_step, reason FROM status_change
  WHERE has_failed(to_step, to_status) AND NOT has_failed(from_step, from_status) AND subticket_id IS NULL
  ORDER BY ticket_id, seq DESC
) failure
WHERE failure.ticket_id = ticket.id AND has_failed(current_workflow_step, status);
ALTER TABLE ticket ENABLE TRIGGER USER;
ALTER TABLE subticket ENABLE TRIGGER USER;

CREATE TRIGGER failure_kept BEFORE UPDATE ON ticket
  FOR EACH ROW WHEN (has_failed(OLD.current_workflow_step, OLD.status) OR has_failed(NEW.current_workflow_step, NEW.status))
  EXECUTE FUNCTION keep_failure();
CREATE TRIGGER failure_kept BEFORE UPDATE ON subticket
  FOR EACH ROW WHEN (has_failed(OLD.current_workflow_step, OLD.status) OR has_failed(NEW.current_workflow_step, NEW.status))
  EXECUTE FUNCTION keep_failure();
