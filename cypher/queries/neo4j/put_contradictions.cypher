// Write some of a source's contradictions. One whose end is missing gives no row.
// parameters: source, rows
// columns: written
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
MERGE (a)-[r:CONTRADICTS {source: $source}]->(b)
RETURN count(*) AS written
