-- Whether a kept answer has a body that callers without the scope read do not get. Of those from before it is not known.
ALTER TABLE idempotency_key ADD COLUMN needs_read boolean NOT NULL DEFAULT true;
