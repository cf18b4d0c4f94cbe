// The index of names, if it is there.
// parameters:
// columns: name
SHOW FULLTEXT INDEXES YIELD name
WHERE name = 'concept_forms'
RETURN name
