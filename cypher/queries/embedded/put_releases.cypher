// Write or replace releases.
// parameters: rows
// columns:
LOAD FROM $rows
MERGE (r:Release {key: key})
SET r.source = source, r.id = id, r.sha256 = sha256, r.rows = rows, r.kept = kept, r.rejected = rejected,
    r.state = state, r.loaded_at = loaded_at, r.`order` = `order`, r.similarity = similarity, r.kind = kind
