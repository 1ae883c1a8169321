-- A ticket or subticket that has failed failed at the step that a later change names, and for the reason of that change.
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
  ELSIF NEW.current_workflow_step < 999 AND NEW.current_workflow_step <> OLD.current_workflow_step THEN
    NEW.failed_at_step := NEW.current_workflow_step;
    NEW.failure_reason := coalesce(nullif(NEW.change_reason, ''), NEW.failure_reason);
    IF TG_TABLE_NAME = 'ticket' THEN
      NEW.failed_in_merge := NEW.failed_in_merge AND NEW.failed_at_step IS NOT DISTINCT FROM OLD.failed_at_step;
    END IF;
  END IF;
  RETURN NEW;
END $$;
