-- A version finds its builds and its uploads by how it begins.
CREATE INDEX build_record_by_version ON build_record (version text_pattern_ops);
CREATE INDEX source_package_upload_by_version ON source_package_upload (version text_pattern_ops);
