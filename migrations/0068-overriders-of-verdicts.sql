-- Whose word has overridden a test: what somebody said may have ended since, or never have counted. Of what was judged
-- before, the reason of the verdict names them.
ALTER TABLE test_verdict ADD COLUMN overridden_by text;
UPDATE test_verdict SET overridden_by = substring(why FROM '^(.+?) overrode it: ') WHERE verdict = 'overridden';
