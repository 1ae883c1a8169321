-- Who asked for a retry had the id of the request behind the name, unlike who asked for anything else.
UPDATE build SET requested_by = regexp_replace(requested_by, ' \(request \S+\)$', '')
  WHERE requested_by LIKE '% (request %)';
UPDATE build_attempt SET requested_by = regexp_replace(requested_by, ' \(request \S+\)$', '')
  WHERE requested_by LIKE '% (request %)';
