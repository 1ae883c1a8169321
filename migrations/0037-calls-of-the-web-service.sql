-- One row: what all workers together may ask Launchpad's web service, and whether it answers.
CREATE TABLE call_budget (
  id integer PRIMARY KEY CHECK (id = 1),
  -- Calls that may be made at once; below zero, calls that wait.
  tokens double precision NOT NULL,
  refilled_at timestamptz NOT NULL,
  calls bigint NOT NULL DEFAULT 0,
  failed_calls bigint NOT NULL DEFAULT 0,
  failures_in_a_row integer NOT NULL DEFAULT 0,
  -- After failures: how often it was left alone since it answered, until when, and whether one call tries it.
  pauses_in_a_row integer NOT NULL DEFAULT 0,
  closed_until timestamptz,
  is_probing boolean NOT NULL DEFAULT false
);
INSERT INTO call_budget (id, tokens, refilled_at) VALUES (1, 0, now());
