// Return all concepts, ordered by key.
// parameters:
// columns: key, name, synonyms, counts, organism, description
MATCH (c:Concept)
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts,
  c.organism AS organism, c.description AS description
ORDER BY c.key
