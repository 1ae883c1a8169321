-- The span of the request that a build began with, as `traceparent` names it: what becomes of the build is part of it.
ALTER TABLE build ADD COLUMN traceparent text;
