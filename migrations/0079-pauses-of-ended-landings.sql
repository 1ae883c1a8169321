-- A landing that has ended is paused no longer; who had paused it is in its events.
UPDATE landing SET paused_at = NULL, paused_by = NULL WHERE finished_at IS NOT NULL AND paused_at IS NOT NULL;
