// Return the number of concepts of each type.
// parameters:
// columns: type, concepts
MATCH (c:Concept)
RETURN c.type AS type, count(*) AS concepts
