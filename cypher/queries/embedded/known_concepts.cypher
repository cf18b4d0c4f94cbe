// Which keys of a table of rows are there.
// parameters: rows
// columns: key
LOAD FROM $rows
MATCH (c:Concept)
WHERE c.key = key
RETURN key
