// Remove one edge of one relation, whose name replaces RELATION.
// parameters: from, to
// columns:
MATCH (x:Concept {key: $from})-[r:RELATION]->(y:Concept {key: $to})
DELETE r
