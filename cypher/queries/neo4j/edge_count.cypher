// Return the number of edges of one relation. Neo4j answers from its own counts.
// parameters:
// columns: edges
MATCH ()-[r:RELATION]->()
RETURN count(r) AS edges
