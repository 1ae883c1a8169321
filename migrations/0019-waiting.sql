-- What each build waits for, as its latest message told it, and what that is made of; and how far an upload is.
ALTER TABLE build
  ADD COLUMN waiting jsonb,
  ADD COLUMN upload jsonb,
  ADD COLUMN taken_at timestamptz,
  ADD COLUMN dependency_wait_since timestamptz,
  ADD COLUMN wait_limits jsonb;
CREATE INDEX build_queued ON build (requested_at) WHERE phase = 'queued';
CREATE INDEX build_by_series_end ON build (series, finished_at) WHERE finished_at IS NOT NULL;
