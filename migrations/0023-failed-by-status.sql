-- A status of 999 fails a ticket as the step 999 does: it is no open ticket any more, and where the same change names a
-- step, that is the step that it failed at.
DROP INDEX ticket_open;
CREATE INDEX ticket_open ON ticket (id) WHERE current_workflow_step < 999 AND status <> 999;

CREATE OR REPLACE FUNCTION keep_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_failed(NEW.current_workflow_step, NEW.status) THEN
    NEW.failed_at_step := NULL;
    NEW.failure_reason := NULL;
    IF TG_TABLE_NAME = 'ticket' THEN
      NEW.failed_subticket_id := NULL;
      NEW.failed_in_merge := false;
    END IF;
  ELSIF NOT has_failed(OLD.current_workflow_step, OLD.status) THEN
    NEW.failed_at_step := coalesce(
      NEW.failed_at_step,
      CASE WHEN NEW.current_workflow_step < 999 THEN NEW.current_workflow_step ELSE OLD.current_workflow_step END
    );
    NEW.failure_reason := coalesce(NEW.failure_reason, NEW.change_reason, '');
  END IF;
  RETURN NEW;
END $$;
