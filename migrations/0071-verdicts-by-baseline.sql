-- The removal of old files asks of each run whether a landing was compared with it. It read all verdicts for that.
CREATE INDEX test_verdict_by_baseline ON test_verdict (baseline_run_id) WHERE baseline_run_id IS NOT NULL;
