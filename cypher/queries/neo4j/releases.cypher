// The releases the store knows of.
// parameters:
// columns: release
MATCH (r:Release)
RETURN properties(r) AS release
