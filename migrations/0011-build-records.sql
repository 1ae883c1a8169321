-- What the PPA made of each package on each architecture, in each attempt that has ended: what statistics are made of.
CREATE TABLE build_record (
  build_id integer NOT NULL REFERENCES build ON DELETE RESTRICT,
  attempt integer NOT NULL,
  package text NOT NULL,
  version text NOT NULL,
  architecture text NOT NULL,
  series text NOT NULL,
  ppa text NOT NULL,
  state text NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  -- From the start of the build to its end, as the PPA says; null where it does not say.
  duration_ms integer,
  -- When the PPA was done with it; null where it does not say. It tells an attempt's own from what an earlier one left.
  built_at timestamptz,
  -- When the attempt ended.
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (build_id, attempt, package, version, architecture)
);

WITH ended AS (
  SELECT id AS build_id, attempt, series, ppa, architecture_builds, failure, finished_at
  FROM build WHERE finished_at IS NOT NULL
  UNION ALL
  SELECT build_id, build_attempt.attempt, series, ppa, build_attempt.architecture_builds, build_attempt.failure,
    build_attempt.finished_at
  FROM build_attempt JOIN build ON build.id = build_id
), seen AS (
  -- The PPA's own times were not kept: the events are as near to them as the looks at the PPA were to each other.
  SELECT build_id, attempt, shown.package, shown.architecture,
    min(created_at) FILTER (WHERE shown.state = 'building') AS started_at,
    min(created_at) FILTER (WHERE shown.state IN ('completed', 'failed')) AS built_at
  FROM progress_event,
    jsonb_to_recordset(body -> 'builds') AS shown (package text, architecture text, state text)
  GROUP BY 1, 2, 3, 4
)
INSERT INTO build_record (
  build_id, attempt, package, version, architecture, series, ppa, state, duration_ms, finished_at
)
SELECT build_id, attempt, package, version, architecture, series, ppa,
  CASE
    WHEN shown.state = 'completed' THEN 'completed'
    WHEN buildstate = 'Cancelled build' OR (shown.state <> 'failed' AND failure ->> 'class' = 'cancelled') THEN 'cancelled'
    ELSE 'failed'
  END,
  CASE WHEN shown.state IN ('completed', 'failed') AND built_at > started_at
    THEN least(round(extract(epoch FROM built_at - started_at) * 1000), 2147483647)::integer
  END,
  finished_at
FROM ended
CROSS JOIN jsonb_to_recordset(architecture_builds)
  AS shown (package text, version text, architecture text, buildstate text, state text)
LEFT JOIN seen USING (build_id, attempt, package, architecture)
WHERE package IS NOT NULL AND version IS NOT NULL AND architecture IS NOT NULL
ON CONFLICT DO NOTHING;

-- What was built stays built: later attempts only show it again.
DELETE FROM build_record later USING build_record earlier
WHERE earlier.build_id = later.build_id AND earlier.attempt < later.attempt AND earlier.state = 'completed'
  AND (earlier.package, earlier.version, earlier.architecture) = (later.package, later.version, later.architecture);

CREATE INDEX build_record_by_package ON build_record (package, finished_at);
CREATE INDEX build_record_built ON build_record (package, architecture, finished_at)
  WHERE state = 'completed' AND duration_ms IS NOT NULL;
CREATE INDEX build_record_by_end ON build_record (finished_at)
  WHERE state = 'completed' AND duration_ms IS NOT NULL;

CREATE INDEX build_by_request ON build (requested_at);
CREATE INDEX build_by_end ON build (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX build_attempt_by_request ON build_attempt (requested_at);
CREATE INDEX build_attempt_by_end ON build_attempt (finished_at);
