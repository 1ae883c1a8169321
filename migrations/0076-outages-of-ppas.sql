-- Since when a PPA does not answer its watch, and since when it does again after an outage. Code of before neither reads
-- nor writes it.
ALTER TABLE ppa_watch
  ADD COLUMN away_since timestamptz,
  ADD COLUMN answers_since timestamptz;
