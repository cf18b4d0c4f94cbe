// The edges of one relation, whose name stands for RELATION, from one concept to another: one, if all is well.
// parameters: head, tail
// columns: head, tail, pmids
MATCH (x:Concept {key: $head})-[r:RELATION]->(y:Concept {key: $tail})
RETURN x.key AS head, y.key AS tail, r.pmids AS pmids
