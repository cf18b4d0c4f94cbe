// Give concepts without names their empty lists, in transactions of its own.
// parameters:
// columns:
MATCH (c:Concept)
WHERE c.counts IS NULL
CALL (c) {
  SET c.synonyms = [], c.counts = []
} IN TRANSACTIONS OF 10000 ROWS
