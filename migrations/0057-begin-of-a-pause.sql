-- When the pause of all calls began: one that begins in time to come is of a clock that was set back, and is over.
ALTER TABLE call_budget ADD COLUMN closed_at timestamptz;
