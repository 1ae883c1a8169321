-- What a token may name in requests of builds and landings; empty: all that the server allows.
ALTER TABLE access_token
  ADD COLUMN ppas text[] NOT NULL DEFAULT '{}',
  ADD COLUMN queue_prefixes text[] NOT NULL DEFAULT '{}';
