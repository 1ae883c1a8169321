-- Of two requests for the same version in a PPA that end at once, each found the other waiting for its builds there, and
-- neither stopped them.
ALTER TABLE build ADD COLUMN stopping_since timestamptz;
