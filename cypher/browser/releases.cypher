// Which releases are live, and which went before
MATCH (r:Release)
WHERE r.source IS NOT NULL AND r.id IS NOT NULL
RETURN r.source AS source, r.id AS id, r.state AS state, r.loaded_at AS loaded, r.kept AS kept, r.rejected AS rejected
ORDER BY source, r.`order`
