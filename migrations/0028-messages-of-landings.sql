-- Whether its request named the queue: only then are its own events messages there, too.
ALTER TABLE landing ADD COLUMN is_queue_named boolean NOT NULL DEFAULT false;

ALTER TABLE landing_event ADD COLUMN published_at timestamptz;
UPDATE landing_event SET published_at = created_at;
CREATE INDEX landing_event_not_published ON landing_event (landing_id, seq) WHERE published_at IS NULL;
