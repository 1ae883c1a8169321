-- The answer to a request that carried an Idempotency-Key, written in the transaction of its effect.
CREATE TABLE idempotency_key (
  -- SHA-256 of the actor, the method, the path and the key: an index takes no value as long as a path may be.
  id bytea PRIMARY KEY,
  actor text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the query and the body.
  fingerprint bytea NOT NULL,
  status integer NOT NULL,
  headers jsonb NOT NULL,
  body bytea,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX idempotency_key_by_expiry ON idempotency_key (expires_at);
