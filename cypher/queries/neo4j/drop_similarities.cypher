// Remove some similarities; similarities that do not exist are ignored. OPTIONAL keeps the order, as in drop_edges.
// parameters: rows
// columns:
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
OPTIONAL MATCH (a)-[r:SIMILAR_TO {model: row.model}]->(b)
DELETE r
