// Return all edges of one relation, whose name replaces RELATION.
// parameters:
// columns: head, tail, pmids
MATCH (x:Concept)-[r:RELATION]->(y:Concept)
RETURN x.key AS head, y.key AS tail, r.pmids AS pmids
