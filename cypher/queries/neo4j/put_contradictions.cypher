// Write some contradictions of a source. A contradiction with a missing end is not counted.
// parameters: source, rows
// columns: written
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
MERGE (a)-[r:CONTRADICTS {source: $source}]->(b)
RETURN count(*) AS written
