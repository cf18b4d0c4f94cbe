// Remove edges of one relation; edges that do not exist are ignored. Both ends are looked up first, and the edge is
// then searched from the end with fewer edges. OPTIONAL keeps this order; without it, all edges of a hub would be read
// for each of its edges.
// parameters: rows
// columns:
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
OPTIONAL MATCH (a)-[r:RELATION]->(b)
DELETE r
