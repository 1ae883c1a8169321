-- What a completed build has made, and the line for apt's sources.list.
ALTER TABLE build
  ADD COLUMN built_packages jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN apt text;
