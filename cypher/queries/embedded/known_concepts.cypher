// Return the keys in a table of rows that belong to existing concepts.
// parameters: rows
// columns: key
LOAD FROM $rows
MATCH (c:Concept)
WHERE c.key = key
RETURN key
