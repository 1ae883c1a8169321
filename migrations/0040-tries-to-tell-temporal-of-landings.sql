-- A landing that Temporal cannot be told of is tried again by itself, and keeps no other one waiting.
ALTER TABLE landing
  ADD COLUMN failed_tries integer NOT NULL DEFAULT 0,
  ADD COLUMN next_try_at timestamptz;
