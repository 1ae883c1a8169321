-- The list of failed tickets, whether their step or their status says so, finds its page without reading all tickets.
CREATE INDEX ticket_failed ON ticket (id) WHERE failed_at_step IS NOT NULL;
