-- The history of one person is read from its end for landings, too, and for the builds that were cancelled. What a
-- condition of that read has is written here as it is there (models/tickets/ticket-events.ts).
CREATE INDEX landing_by_requester ON landing (requested_by, requested_at);
CREATE INDEX landing_by_decider ON landing ((decision ->> 'by'), (coalesce(decision_delivered_at, finished_at)))
  WHERE decision IS NOT NULL;
CREATE INDEX landing_by_canceller
  ON landing ((regexp_replace(cancel_requested_by, ' \(request [^)]*\)$', '')), cancel_requested_at)
  WHERE cancel_requested_at IS NOT NULL;
CREATE INDEX build_by_canceller
  ON build ((regexp_replace(cancel_requested_by, ' \(request [^)]*\)$', '')), cancel_requested_at)
  WHERE cancel_requested_at IS NOT NULL;
-- Landings of a target, and those that ended last in a phase, are listed without reading all landings.
CREATE INDEX landing_by_target ON landing (target, id);
CREATE INDEX landing_by_phase_end ON landing (phase, finished_at) WHERE phase IN ('complete', 'failed', 'cancelled');
