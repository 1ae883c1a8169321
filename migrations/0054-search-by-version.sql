-- A version finds its builds and its uploads by how it begins. The index of the uploads comes with 0067: a B-tree, as it
-- was here, refuses versions that earlier releases have taken.
CREATE INDEX build_record_by_version ON build_record (version text_pattern_ops);
