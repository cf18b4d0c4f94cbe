// Those of some edges of one relation that are there, in one row of columns. Each end is found by its key.
// parameters: rows
// columns: head, relation, tail, pmids
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})-[r:RELATION]->(b:Concept {key: row.tail})
RETURN collect(row.head) AS head, collect(toLower(type(r))) AS relation, collect(row.tail) AS tail,
       collect(r.pmids) AS pmids
