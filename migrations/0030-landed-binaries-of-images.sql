-- The binary packages of a landing's PPA, with the versions that are landed: what its tests have to have installed.
ALTER TABLE image ADD COLUMN binaries jsonb NOT NULL DEFAULT '[]';
