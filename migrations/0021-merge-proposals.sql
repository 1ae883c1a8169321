-- What a build of a merge proposal needs; empty in one that is not built here.
ALTER TABLE merge_proposal
  ADD COLUMN source_repository text NOT NULL DEFAULT '',
  ADD COLUMN source_branch text NOT NULL DEFAULT '',
  ADD COLUMN target_repository text NOT NULL DEFAULT '',
  ADD COLUMN target_branch text NOT NULL DEFAULT '',
  ADD COLUMN packaging_branch text NOT NULL DEFAULT '';

-- A subticket stands for an upload or for a merge proposal; the proposal's gets its upload once its source is made.
ALTER TABLE subticket
  ALTER COLUMN source_package_upload_id DROP NOT NULL,
  ADD COLUMN merge_proposal_id integer REFERENCES merge_proposal ON DELETE RESTRICT,
  ADD CONSTRAINT subticket_stands_for_something CHECK (num_nonnulls(source_package_upload_id, merge_proposal_id) > 0);
CREATE INDEX subticket_by_merge_proposal ON subticket (merge_proposal_id) WHERE merge_proposal_id IS NOT NULL;

-- Of a build that makes its source of a merge proposal: whose, and what it merges, as it was requested.
ALTER TABLE build
  ADD COLUMN subticket_id integer REFERENCES subticket ON DELETE RESTRICT,
  ADD COLUMN merge jsonb;
CREATE INDEX build_by_subticket ON build (subticket_id) WHERE subticket_id IS NOT NULL;

-- The subticket that failed the ticket stood for a proposal of which no source was made yet.
ALTER TABLE ticket ADD COLUMN failed_in_merge boolean NOT NULL DEFAULT false;

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
    NEW.failed_at_step := coalesce(NEW.failed_at_step, OLD.current_workflow_step);
    NEW.failure_reason := coalesce(NEW.failure_reason, NEW.change_reason, '');
  END IF;
  RETURN NEW;
END
$$;
