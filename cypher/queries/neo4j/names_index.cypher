// Return the index of names, if it exists.
// parameters:
// columns: name
SHOW FULLTEXT INDEXES YIELD name
WHERE name = 'concept_forms'
RETURN name
