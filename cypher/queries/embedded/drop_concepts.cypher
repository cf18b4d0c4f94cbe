// Remove concepts with every link at them.
// parameters: rows
// columns:
LOAD FROM $rows
MATCH (c:Concept)
WHERE c.key = key
DETACH DELETE c
