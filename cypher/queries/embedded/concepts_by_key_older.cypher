// Return the concepts of some keys, from a folder that has no organisms.
// parameters: keys
// columns: key, name, synonyms, counts, organism, description
UNWIND $keys AS key
MATCH (c:Concept)
WHERE c.key = key
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts,
  '' AS organism, '' AS description
