// Write or replace edges, each of the type its row names. An edge whose end is missing gives no row.
// parameters: rows
// columns: written
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
MERGE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(*) AS written
