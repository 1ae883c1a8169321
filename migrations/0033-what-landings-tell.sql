ALTER TABLE landing
  -- When a landing in line is expected to begin and to be complete, as its workflow found when it looked last.
  ADD COLUMN estimate jsonb,
  -- It may report to a webhook in place of a queue: to the one that its request named. As of builds, the webhook may be
  -- deleted.
  ADD COLUMN webhook_id integer,
  ALTER COLUMN progress_trigger DROP NOT NULL;
-- Estimates are made of the latest ones.
CREATE INDEX landing_completed ON landing (target, target_series, pocket, finished_at) WHERE phase = 'complete';

ALTER TABLE webhook_delivery
  -- The event is that of a build or of a landing; a ping has neither.
  ADD COLUMN landing_id integer,
  ADD FOREIGN KEY (landing_id, seq) REFERENCES landing_event ON DELETE CASCADE,
  ADD CHECK (num_nonnulls(build_id, landing_id) <= 1);
CREATE INDEX webhook_delivery_pending_of_landings ON webhook_delivery (webhook_id, landing_id, seq)
  WHERE state = 'pending' AND landing_id IS NOT NULL;

-- A webhook is told of the landings whose requests name it, and of no other. The lock makes its deletion wait, as with
-- the events of builds.
CREATE FUNCTION queue_landing_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_delivery (webhook_id, landing_id, seq)
    SELECT webhook.id, NEW.landing_id, NEW.seq FROM landing
    JOIN webhook ON webhook.id = landing.webhook_id
    WHERE landing.id = NEW.landing_id AND webhook.is_active
      AND (webhook.ticket_id IS NULL OR webhook.ticket_id = landing.ticket_id)
    FOR KEY SHARE OF webhook;
  RETURN NULL;
END $$;
CREATE TRIGGER landing_event_delivered AFTER INSERT ON landing_event
  FOR EACH ROW EXECUTE FUNCTION queue_landing_deliveries();
