// Wait until all indexes are online.
// parameters: seconds
// columns:
CALL db.awaitIndexes($seconds)
