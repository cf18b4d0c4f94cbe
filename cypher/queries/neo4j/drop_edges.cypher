// Remove edges of one relation; those that are not there are passed over. Both ends are found first, and the edge from
// the one that has fewer: OPTIONAL keeps that order, without which a hub would be walked for each of its edges.
// parameters: rows
// columns:
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
OPTIONAL MATCH (a)-[r:RELATION]->(b)
DELETE r
