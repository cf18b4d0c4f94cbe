// How many concepts of each type there are.
// parameters:
// columns: type, concepts
MATCH (c:Concept)
RETURN c.type AS type, count(*) AS concepts
