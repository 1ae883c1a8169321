-- A build may report to a webhook in place of a queue: to the one that its request named. There is no foreign key: the
-- webhook may be deleted, and a deletion that changed builds and an event of one of them could wait for each other.
ALTER TABLE build
  ALTER COLUMN progress_trigger DROP NOT NULL,
  ADD COLUMN webhook_id integer;
