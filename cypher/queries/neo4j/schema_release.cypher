// Make the id of a release unique within its source.
// parameters:
// columns:
CREATE CONSTRAINT release_id IF NOT EXISTS FOR (r:Release) REQUIRE (r.source, r.id) IS UNIQUE
