// How many edges of one relation there are; answered from Neo4j's own count.
// parameters:
// columns: edges
MATCH ()-[r:RELATION]->()
RETURN count(r) AS edges
