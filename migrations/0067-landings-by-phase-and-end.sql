-- An upload's version may have 4096 characters, more than a B-tree takes; SP-GiST takes them. A database that has had
-- 0054 as it was before has such a B-tree. It is dropped last, since that locks out readers.
CREATE INDEX source_package_upload_by_any_version ON source_package_upload USING spgist (version);
-- Landings are listed, counted, told of and rid of their events without reading all of them, as builds are.
CREATE INDEX landing_by_end ON landing (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX landing_by_phase ON landing (phase, id);
CREATE INDEX landing_by_cancellation ON landing (cancel_requested_at) WHERE cancel_requested_at IS NOT NULL;
CREATE INDEX landing_by_decision ON landing ((coalesce(decision_delivered_at, finished_at))) WHERE decision IS NOT NULL;
-- A lease that ends takes its PPA from its ticket.
CREATE INDEX ticket_ppa_by_lease ON ticket_ppa (lease_id) WHERE lease_id IS NOT NULL;
DROP INDEX IF EXISTS source_package_upload_by_version;
