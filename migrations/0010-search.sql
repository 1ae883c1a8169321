-- For searching in the middle of words. The extension is a part of PostgreSQL, and the owner of a database may add it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- What a ticket is found by: one text in small letters, kept by triggers.
CREATE TABLE ticket_text (
  ticket_id integer PRIMARY KEY REFERENCES ticket ON DELETE CASCADE,
  text text NOT NULL
);

CREATE FUNCTION write_ticket_text(of integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Whoever adds another subticket meanwhile waits here, and then sees this one.
  PERFORM FROM ticket_text WHERE ticket_id = of FOR UPDATE;
  INSERT INTO ticket_text
    SELECT id, lower(concat_ws(E'\n', title, owner, bug_id, left(description, 10000), (
      SELECT string_agg(DISTINCT name, E'\n') FROM subticket
      JOIN source_package_upload upload ON upload.id = source_package_upload_id
      JOIN source_package package ON package.id = source_package_id
      WHERE subticket.ticket_id = of
    )))
    FROM ticket WHERE id = of
  ON CONFLICT (ticket_id) DO UPDATE SET text = EXCLUDED.text WHERE ticket_text.text <> EXCLUDED.text;
END
$$;

CREATE FUNCTION keep_ticket_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'ticket' THEN PERFORM write_ticket_text(NEW.id);
    WHEN 'subticket' THEN
      IF TG_OP = 'DELETE' THEN PERFORM write_ticket_text(OLD.ticket_id);
      ELSE PERFORM write_ticket_text(NEW.ticket_id); END IF;
    WHEN 'source_package_upload' THEN
      PERFORM write_ticket_text(ticket_id) FROM (
        SELECT DISTINCT ticket_id FROM subticket WHERE source_package_upload_id = NEW.id ORDER BY ticket_id
      ) affected;
    WHEN 'source_package' THEN
      PERFORM write_ticket_text(ticket_id) FROM (
        SELECT DISTINCT ticket_id FROM subticket
        JOIN source_package_upload upload ON upload.id = source_package_upload_id
        WHERE source_package_id = NEW.id ORDER BY ticket_id
      ) affected;
  END CASE;
  RETURN NULL;
END
$$;

CREATE TRIGGER ticket_text_kept AFTER INSERT OR UPDATE OF title, owner, bug_id, description ON ticket
  FOR EACH ROW EXECUTE FUNCTION keep_ticket_text();
CREATE TRIGGER subticket_text_kept AFTER INSERT OR DELETE OR UPDATE OF source_package_upload_id ON subticket
  FOR EACH ROW EXECUTE FUNCTION keep_ticket_text();
CREATE TRIGGER source_package_upload_text_kept AFTER UPDATE OF source_package_id ON source_package_upload
  FOR EACH ROW EXECUTE FUNCTION keep_ticket_text();
CREATE TRIGGER source_package_text_kept AFTER UPDATE OF name ON source_package
  FOR EACH ROW EXECUTE FUNCTION keep_ticket_text();

SELECT count(write_ticket_text(id)) FROM ticket;
CREATE INDEX ticket_text_by_part ON ticket_text USING gin (text gin_trgm_ops);

-- The source packages of a build, by which it is found: of its request at first, and then those that the PPA shows.
ALTER TABLE build ADD COLUMN package_names text[] NOT NULL DEFAULT '{}';
ALTER TABLE build DISABLE TRIGGER build_announced;
UPDATE build SET package_names = coalesce((
  SELECT array_agg(DISTINCT name) FROM (
    SELECT regexp_replace(
      split_part(substring(url FROM '([^/]+)\.changes(?:[?#].*)?$'), '_', 1), '%2b', '+', 'gi'
    ) AS name
    FROM jsonb_array_elements_text(source_packages) url
    UNION SELECT shown ->> 'package' FROM jsonb_array_elements(architecture_builds) shown
  ) named WHERE name ~ '^[a-z0-9][a-z0-9+.-]{0,99}$'
), '{}');
ALTER TABLE build ENABLE TRIGGER build_announced;
CREATE INDEX build_by_package ON build USING gin (package_names);
