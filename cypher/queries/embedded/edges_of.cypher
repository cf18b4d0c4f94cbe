// All edges of one relation, whose name stands for RELATION.
// parameters:
// columns: head, tail, pmids
MATCH (x:Concept)-[r:RELATION]->(y:Concept)
RETURN x.key AS head, y.key AS tail, r.pmids AS pmids
