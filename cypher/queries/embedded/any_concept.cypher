// Return one row if the graph contains a concept, else no row.
// parameters:
// columns: there
MATCH (:Concept)
RETURN true AS there
LIMIT 1
