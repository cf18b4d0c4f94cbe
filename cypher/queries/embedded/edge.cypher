// Return the edges of one relation, whose name replaces RELATION, from one concept to another: at most one in an
// undamaged store.
// parameters: head, tail
// columns: head, tail, pmids
MATCH (x:Concept {key: $head})-[r:RELATION]->(y:Concept {key: $tail})
RETURN x.key AS head, y.key AS tail, r.pmids AS pmids
