// Whether there is a concept.
// parameters:
// columns: there
MATCH (:Concept)
RETURN true AS there
LIMIT 1
