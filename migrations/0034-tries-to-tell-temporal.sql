-- A build that Temporal cannot be told of is tried again by itself, and keeps no other one waiting.
ALTER TABLE build
  ADD COLUMN failed_tries integer NOT NULL DEFAULT 0,
  ADD COLUMN next_try_at timestamptz;

CREATE INDEX build_cancel_not_delivered ON build (id)
  WHERE cancel_requested_at IS NOT NULL AND cancel_delivered_at IS NULL AND dispatched_at IS NOT NULL AND finished_at IS NULL;
