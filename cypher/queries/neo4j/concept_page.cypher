// Return the next concepts after a key, in the order of keys. Neo4j orders texts by code point, as Python does.
// parameters: after, size
// columns: key, name, synonyms, counts, organism, description
MATCH (c:Concept)
WHERE c.key > $after
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts,
  c.organism AS organism, c.description AS description
ORDER BY c.key
LIMIT $size
