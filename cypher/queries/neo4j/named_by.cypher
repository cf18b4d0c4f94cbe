// Return the concepts that have one of the forms (of names and keys) in the Lucene query.
// parameters: lucene
// columns: key, name, synonyms, counts, organism, description
CALL db.index.fulltext.queryNodes('concept_forms', $lucene) YIELD node AS c
RETURN c.key AS key, c.name AS name, c.synonyms AS synonyms, c.counts AS counts,
  c.organism AS organism, c.description AS description
