// Write some of a model's similarities. One whose end is missing gives no row.
// parameters: model, rows
// columns: written
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
MERGE (a)-[r:SIMILAR_TO {model: $model}]->(b)
SET r.cosine = row.cosine
RETURN count(*) AS written
