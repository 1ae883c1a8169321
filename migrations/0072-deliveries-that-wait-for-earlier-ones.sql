-- What comes after a delivery that has failed is tried no sooner than that. It was due at once, though it has to wait
-- for the earlier one: each poll for what is due went through all such deliveries in vain. The latest one that waits is
-- asked, and not the greatest time: for that, PostgreSQL may read all that waits for the webhook. Processes of both
-- versions may add and send deliveries at once.
CREATE OR REPLACE FUNCTION queue_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Without webhooks, to ask this is all that an event costs.
  IF EXISTS (SELECT FROM webhook WHERE is_active) THEN
    INSERT INTO webhook_delivery (webhook_id, build_id, seq, next_try_at)
      SELECT id, NEW.build_id, NEW.seq, greatest(now(), (
        SELECT next_try_at FROM webhook_delivery earlier
        WHERE earlier.webhook_id = webhook.id AND earlier.build_id = NEW.build_id
          AND earlier.state = 'pending' AND NOT earlier.is_resend
        ORDER BY earlier.seq DESC LIMIT 1
      ))
      FROM webhook
      WHERE is_active
        AND (ticket_id IS NULL OR ticket_id = (NEW.body->>'ticket_id')::integer)
        AND (messages IS NULL OR NEW.body->>'message' = ANY (messages))
      FOR KEY SHARE;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION queue_landing_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_delivery (webhook_id, landing_id, seq, next_try_at)
    SELECT webhook.id, NEW.landing_id, NEW.seq, greatest(now(), (
      SELECT next_try_at FROM webhook_delivery earlier
      WHERE earlier.webhook_id = webhook.id AND earlier.landing_id = NEW.landing_id
        AND earlier.state = 'pending' AND NOT earlier.is_resend
      ORDER BY earlier.seq DESC LIMIT 1
    ))
    FROM landing
    JOIN webhook ON webhook.id = landing.webhook_id
    WHERE landing.id = NEW.landing_id AND webhook.is_active
      AND (webhook.ticket_id IS NULL OR webhook.ticket_id = landing.ticket_id)
    FOR KEY SHARE OF webhook;
  RETURN NULL;
END $$;
