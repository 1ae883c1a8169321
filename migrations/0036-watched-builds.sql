-- Each PPA that has builds in flight is polled for all of them together. A row is a build that waits there: what is known of
-- it, and what its workflow was told.
CREATE TABLE watched_build (
  build_id integer PRIMARY KEY REFERENCES build (id) ON DELETE CASCADE,
  attempt integer NOT NULL,
  workflow_id text NOT NULL,
  -- Launchpad's archive reference.
  ppa text NOT NULL,
  request jsonb NOT NULL,
  cancel_url text,
  uploaded_at timestamptz NOT NULL,
  joined_at timestamptz NOT NULL,
  polled boolean NOT NULL DEFAULT false,
  accepted boolean NOT NULL,
  records jsonb NOT NULL,
  -- Launchpad's states of those that have not ended.
  active_states text[] NOT NULL,
  dependency_wait_since timestamptz,
  told_phase text,
  asked_at timestamptz,
  version integer NOT NULL DEFAULT 0
);
CREATE INDEX watched_build_of_ppa ON watched_build (ppa, build_id);

-- When a PPA was polled last. There are as many rows as PPAs that were ever built in.
CREATE TABLE ppa_watch (
  ppa text PRIMARY KEY,
  round_at timestamptz NOT NULL,
  last_error text
);
