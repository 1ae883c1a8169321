-- The history of all tickets is read from its end, by everybody's name or one.
CREATE INDEX status_change_by_time ON status_change (created_at, ticket_id, seq);
CREATE INDEX status_change_by_actor ON status_change (actor, created_at);
