-- What of a failed build an attempt retries: the names of architectures; null: all that failed, as in every attempt before.
ALTER TABLE build ADD COLUMN retry_architectures jsonb;
ALTER TABLE build_attempt ADD COLUMN retry_architectures jsonb;
