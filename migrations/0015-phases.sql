-- What each build is doing or waits for, since when, and when its caller was told last.
ALTER TABLE build
  ADD COLUMN phase text NOT NULL DEFAULT 'queued',
  ADD COLUMN phase_since timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN reported_at timestamptz NOT NULL DEFAULT now();
UPDATE build SET
  phase = CASE
    WHEN failure ->> 'class' = 'cancelled' THEN 'cancelled'
    WHEN state <> 'building' OR architecture_builds @> '[{"state": "building"}]' THEN state
    WHEN architecture_builds @> '[{"state": "waiting"}]' THEN 'waiting_for_builder'
    WHEN architecture_builds @> '[{"state": "dependency_wait"}]' THEN 'dependency_wait'
    ELSE state
  END,
  phase_since = coalesce(finished_at, updated_at),
  reported_at = coalesce(finished_at, updated_at);
CREATE INDEX build_reported ON build (reported_at) WHERE finished_at IS NULL;

UPDATE progress_event SET body = body || jsonb_build_object(
  'phase', CASE body ->> 'message'
    WHEN 'STARTED' THEN 'checking'
    WHEN 'INPROGRESS' THEN 'building'
    WHEN 'COMPLETE' THEN 'completed'
    ELSE CASE body -> 'failure' ->> 'class' WHEN 'cancelled' THEN 'cancelled' ELSE 'failed' END
  END,
  'phase_since', body -> 'timestamp'
);
