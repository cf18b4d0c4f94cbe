// The releases the store knows of.
// parameters:
// columns: source, id, sha256, rows, kept, rejected, state, loaded_at, order
MATCH (r:Release)
RETURN r.source AS source, r.id AS id, r.sha256 AS sha256, r.rows AS rows, r.kept AS kept, r.rejected AS rejected,
       r.state AS state, r.loaded_at AS loaded_at, r.`order` AS `order`
