// How many edges of one relation there are; its name stands for RELATION.
// parameters:
// columns: edges
MATCH (:Concept)-[r:RELATION]->(:Concept)
RETURN count(r) AS edges
