-- When the data store was last looked through for old files: of all processes, one does so a day.
CREATE TABLE file_sweep (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  begun_at timestamptz NOT NULL
);
