-- Who has resumed a landing, until its next event says so.
ALTER TABLE landing ADD COLUMN resumed_by text;
