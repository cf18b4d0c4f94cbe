// Wait until all indexes answer.
// parameters: seconds
// columns:
CALL db.awaitIndexes($seconds)
