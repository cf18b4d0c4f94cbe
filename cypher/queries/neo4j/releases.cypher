// Return the releases that the store has recorded.
// parameters:
// columns: release
MATCH (r:Release)
RETURN properties(r) AS release
