ALTER TABLE landing
  -- How its tests stand, in numbers.
  ADD COLUMN tests jsonb,
  -- What the target had of each source that was tested: its version, or null.
  ADD COLUMN target_versions jsonb,
  -- Something has changed that its workflow has to look at; and since when it knows.
  ADD COLUMN wake_at timestamptz,
  ADD COLUMN wake_delivered_at timestamptz;
CREATE INDEX landing_to_wake ON landing (id)
  WHERE wake_at IS NOT NULL AND wake_delivered_at IS NULL AND finished_at IS NULL;

ALTER TABLE test_override ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
