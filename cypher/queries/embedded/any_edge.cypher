// Whether there is an edge of one relation, whose name stands for RELATION.
// parameters:
// columns: there
MATCH (:Concept)-[:RELATION]->(:Concept)
RETURN true AS there
LIMIT 1
