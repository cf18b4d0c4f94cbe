// Remove edges of one relation; those that are not there are passed over.
// parameters: rows
// columns:
UNWIND $rows AS row
MATCH (:Concept {key: row.head})-[r:RELATION]->(:Concept {key: row.tail})
DELETE r
