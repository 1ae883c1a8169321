-- What a lost queue held is found by the builds and landings that report to it.
CREATE INDEX build_by_queue ON build (progress_trigger, finished_at);
CREATE INDEX landing_by_queue ON landing (progress_trigger, finished_at);
