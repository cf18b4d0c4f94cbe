// Return the number of edges of one relation, whose name replaces RELATION.
// parameters:
// columns: edges
MATCH (:Concept)-[r:RELATION]->(:Concept)
RETURN count(r) AS edges
