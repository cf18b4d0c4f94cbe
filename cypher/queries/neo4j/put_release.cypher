// Write or replace a release.
// parameters: source, id, release
// columns:
MERGE (r:Release {source: $source, id: $id})
SET r = $release
