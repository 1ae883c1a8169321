-- A removed event takes its deliveries with it, and finds them without reading all that there are.
CREATE INDEX webhook_delivery_by_event ON webhook_delivery (build_id, seq) WHERE build_id IS NOT NULL;
CREATE INDEX webhook_delivery_by_landing_event ON webhook_delivery (landing_id, seq) WHERE landing_id IS NOT NULL;
