// Return those of some edges of one relation that exist, as one row of columns. Both ends are looked up first, and the
// edge is then searched from the end with fewer edges. OPTIONAL keeps this order; without it, all edges of a hub would
// be read for each of its edges.
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
