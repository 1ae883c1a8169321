ALTER TABLE build
  ADD COLUMN attempt integer NOT NULL DEFAULT 1 CHECK (attempt > 0),
  ADD COLUMN requested_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN requested_by text,
  ADD COLUMN trouble jsonb;
UPDATE build SET requested_at = created_at;

-- What became of the attempts before the one that the build's own row tells of.
CREATE TABLE build_attempt (
  build_id integer NOT NULL REFERENCES build ON DELETE RESTRICT,
  attempt integer NOT NULL,
  requested_at timestamptz NOT NULL,
  requested_by text,
  dispatched_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_requested_by text,
  state text NOT NULL,
  architecture_builds jsonb NOT NULL,
  logs jsonb NOT NULL,
  failure jsonb,
  last_seq integer NOT NULL,
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (build_id, attempt)
);

ALTER TABLE progress_event ADD COLUMN attempt integer NOT NULL DEFAULT 1;
ALTER TABLE progress_event DROP CONSTRAINT progress_event_build_id_key_key;
ALTER TABLE progress_event ADD UNIQUE (build_id, attempt, key);
UPDATE progress_event SET body = body || '{"attempt": 1}';
