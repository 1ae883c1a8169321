-- The order in which a build's packages are built, where one was asked for, and where each of them is in it.
ALTER TABLE build
  ADD COLUMN build_order text CHECK (build_order IN ('dependencies')),
  ADD COLUMN sequence jsonb NOT NULL DEFAULT '[]';
