// Return all concepts, ordered by key, from a folder that has no organisms.
// parameters:
// columns: key, name, synonyms, counts, organism, description
MATCH (c:Concept)
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts,
  '' AS organism, '' AS description
ORDER BY c.key
