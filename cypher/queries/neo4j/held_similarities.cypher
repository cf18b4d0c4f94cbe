// Return those of some similarities that exist, as one row of columns. OPTIONAL keeps the order, as in held.
// parameters: rows
// columns: model, head, tail, cosine
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
OPTIONAL MATCH (a)-[r:SIMILAR_TO {model: row.model}]->(b)
WITH row, r
WHERE r IS NOT NULL
RETURN collect(r.model) AS model, collect(row.head) AS head, collect(row.tail) AS tail, collect(r.cosine) AS cosine
