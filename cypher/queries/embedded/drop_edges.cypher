// Remove edges of one relation, which has a table of its own; its name stands for RELATION.
// parameters: rows
// columns:
LOAD FROM $rows
MATCH (x:Concept)-[r:RELATION]->(y:Concept)
WHERE x.key = head AND y.key = tail
DELETE r
