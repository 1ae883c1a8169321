-- A new ticket has no subtickets to look for, and nobody else who writes its text.
CREATE FUNCTION begin_ticket_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ticket_text
    VALUES (NEW.id, lower(concat_ws(E'\n', NEW.title, NEW.owner, NEW.bug_id, left(NEW.description, 10000))))
    ON CONFLICT (ticket_id) DO NOTHING;
  RETURN NULL;
END
$$;

DROP TRIGGER ticket_text_kept ON ticket;
CREATE TRIGGER ticket_text_begun AFTER INSERT ON ticket FOR EACH ROW EXECUTE FUNCTION begin_ticket_text();
CREATE TRIGGER ticket_text_kept AFTER UPDATE OF title, owner, bug_id, description ON ticket
  FOR EACH ROW WHEN (
    (OLD.title, OLD.owner, OLD.bug_id, OLD.description)
      IS DISTINCT FROM (NEW.title, NEW.owner, NEW.bug_id, NEW.description)
  )
  EXECUTE FUNCTION keep_ticket_text();
