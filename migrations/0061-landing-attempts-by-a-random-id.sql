-- As of builds: the id of a landing comes again where the database was restored without Temporal, and an earlier workflow
-- must not report of it, build for it or take a PPA for it. Attempts from before have none.
ALTER TABLE landing ADD COLUMN attempt_key uuid;
