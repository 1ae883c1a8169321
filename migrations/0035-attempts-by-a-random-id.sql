-- The id of a build comes again where the database was restored without Temporal: an earlier workflow must not report of it.
-- Attempts from before have none.
ALTER TABLE build ADD COLUMN attempt_key uuid;
