-- Each event takes an id for every webhook that it matches, and rows that are removed give none back: an integer is used
-- up within months, and from then on events of builds fail with their deliveries. The sequence takes over the type.
-- The log of a week is rewritten; events that a webhook hears of wait so long. Processes of the version before send on.
-- A connection of theirs that has prepared a statement which gives the id is refused that until the process closes it;
-- other processes send meanwhile.
ALTER TABLE webhook_delivery ALTER COLUMN id TYPE bigint;
