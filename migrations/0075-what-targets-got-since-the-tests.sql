-- What the target of a landing got since its packages were tested, where they are tested again. Code of before neither
-- reads nor writes it.
ALTER TABLE landing ADD COLUMN target_moved jsonb;
