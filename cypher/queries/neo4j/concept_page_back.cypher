// Return the previous concepts before a key, in the reverse order of keys. Concepts of other programs have no forms.
// parameters: before, size
// columns: key, name, synonyms, counts, organism, description
MATCH (c:Concept)
WHERE c.key < $before AND c.forms IS NOT NULL
RETURN c.key AS key, c.name AS name, coalesce(c.synonyms, []) AS synonyms, coalesce(c.counts, []) AS counts,
  c.organism AS organism, c.description AS description
ORDER BY c.key DESC
LIMIT $size
