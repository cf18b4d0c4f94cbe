// Give empty lists to concepts without names, in separate transactions.
// parameters:
// columns:
MATCH (c:Concept)
WHERE c.counts IS NULL
CALL (c) {
  SET c.synonyms = [], c.counts = []
} IN 2 CONCURRENT TRANSACTIONS OF 5000 ROWS
