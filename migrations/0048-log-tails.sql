-- The last lines of logs that are being written, while somebody looks at them. Nothing is lost with a row.
CREATE TABLE log_tail (
  build_id integer NOT NULL REFERENCES build ON DELETE CASCADE,
  package text NOT NULL,
  architecture text NOT NULL,
  attempt integer NOT NULL,
  -- The page of the build in the PPA, which shows them.
  page_url text NOT NULL,
  wanted_until timestamptz NOT NULL,
  -- When the page is read next; while a worker reads it, when another may.
  read_at timestamptz NOT NULL,
  -- How often workers took it on: what a slower one brings later is dropped.
  readings integer NOT NULL DEFAULT 0,
  text text NOT NULL DEFAULT '',
  -- How many characters have come since somebody began to look; the text is the last of them.
  text_end integer NOT NULL DEFAULT 0,
  -- When the text was what the page showed.
  seen_at timestamptz,
  problem text,
  PRIMARY KEY (build_id, package, architecture)
);
CREATE INDEX log_tail_wanted ON log_tail (wanted_until);
