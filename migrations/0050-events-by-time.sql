-- What was done to tickets is read from its end, of all kinds together, or by who did it.
CREATE INDEX ticket_by_time ON ticket (created_at);
CREATE INDEX subticket_by_time ON subticket (created_at);
CREATE INDEX ticket_artifact_by_time ON ticket_artifact (created_at);
CREATE INDEX subticket_artifact_by_time ON subticket_artifact (created_at);
CREATE INDEX ticket_owner_by_time ON ticket_owner (created_at);
CREATE INDEX ticket_ppa_by_time ON ticket_ppa (created_at);
CREATE INDEX ticket_reference_by_time ON ticket_reference (created_at);
CREATE INDEX ticket_test_suite_by_time ON ticket_test_suite (created_at);
CREATE INDEX build_by_requester ON build (requested_by, requested_at);
CREATE INDEX build_attempt_by_requester ON build_attempt (requested_by, requested_at);
CREATE INDEX build_by_cancellation ON build (cancel_requested_at) WHERE cancel_requested_at IS NOT NULL;
CREATE INDEX build_attempt_by_cancellation ON build_attempt (cancel_requested_at) WHERE cancel_requested_at IS NOT NULL;
CREATE INDEX landing_by_request ON landing (requested_at);
