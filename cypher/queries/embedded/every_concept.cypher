// Return all concepts, ordered by key.
// parameters:
// columns: key, name, synonyms, counts
MATCH (c:Concept)
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts
ORDER BY c.key
