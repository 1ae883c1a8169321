-- When a run last changed, as all that the API shows has it.
ALTER TABLE test_run ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX test_run_by_state ON test_run (state, id);
