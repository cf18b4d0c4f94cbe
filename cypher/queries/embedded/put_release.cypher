// Write or replace one release.
// parameters: key, source, id, sha256, rows, kept, rejected, state, loaded_at, ordinal
// columns:
MERGE (r:Release {key: $key})
SET r.source = $source, r.id = $id, r.sha256 = $sha256, r.rows = $rows, r.kept = $kept, r.rejected = $rejected,
    r.state = $state, r.loaded_at = $loaded_at, r.ordinal = $ordinal
