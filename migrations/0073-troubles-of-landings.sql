-- What a landing cannot get past just now, as a build has it. Code of before neither reads nor writes it.
ALTER TABLE landing ADD COLUMN trouble jsonb;
