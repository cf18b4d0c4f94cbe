// Give concepts without names their empty lists, in transactions of its own.
// parameters:
// columns:
MATCH (c:Concept)
WHERE c.counts IS NULL
CALL (c) {
  SET c.synonyms = [], c.counts = []
} IN 2 CONCURRENT TRANSACTIONS OF 5000 ROWS
