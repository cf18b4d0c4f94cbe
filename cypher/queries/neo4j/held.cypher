// Those of some edges of one relation that are there, in one row of columns. Both ends are found first, and the edge from
// the one that has fewer: OPTIONAL keeps that order, without which a hub would be walked for each of its edges.
// parameters: rows
// columns: head, relation, tail, pmids
UNWIND $rows AS row
MATCH (a:Concept {key: row.head})
MATCH (b:Concept {key: row.tail})
OPTIONAL MATCH (a)-[r:RELATION]->(b)
WITH row, r
WHERE r IS NOT NULL
RETURN collect(row.head) AS head, collect(toLower(type(r))) AS relation, collect(row.tail) AS tail,
       collect(r.pmids) AS pmids
