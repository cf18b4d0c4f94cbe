// Write some similarities. A similarity with a missing end is not counted.
// parameters: rows
// columns: written
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
MERGE (a)-[r:SIMILAR_TO {model: row.model}]->(b)
SET r.cosine = row.cosine
RETURN count(*) AS written
