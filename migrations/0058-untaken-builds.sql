-- Before it starts more builds, the dispatcher counts those in Temporal that no worker has taken yet.
CREATE INDEX build_untaken ON build (dispatched_at)
  WHERE phase = 'queued' AND finished_at IS NULL AND dispatched_at IS NOT NULL;
