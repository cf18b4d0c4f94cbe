// Remove the contradiction links of one source.
// parameters: source
// columns:
MATCH (:Concept)-[r:CONTRADICTS]->(:Concept)
WHERE r.source = $source
DELETE r
