-- A page of a ticket shows the merge proposals and the uploads of its subtickets, too, and is told when they change.
CREATE FUNCTION announce_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'merge_proposal' THEN
    INSERT INTO change_notice (kind, object_id)
    SELECT DISTINCT 'ticket', ticket_id FROM subticket WHERE merge_proposal_id = NEW.id;
  ELSE
    INSERT INTO change_notice (kind, object_id)
    SELECT DISTINCT 'ticket', ticket_id FROM subticket WHERE source_package_upload_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER merge_proposal_announced AFTER UPDATE ON merge_proposal
  FOR EACH ROW EXECUTE FUNCTION announce_subject();
CREATE TRIGGER source_package_upload_announced AFTER UPDATE ON source_package_upload
  FOR EACH ROW EXECUTE FUNCTION announce_subject();
