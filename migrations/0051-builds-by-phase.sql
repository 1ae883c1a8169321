-- Lists of builds by phase, and by the class of a failure, find their page, and count it, without reading all builds.
CREATE INDEX build_by_phase ON build (phase, id);
CREATE INDEX build_by_phase_end ON build (phase, finished_at);
CREATE INDEX build_by_failure ON build ((failure ->> 'class'), id);
