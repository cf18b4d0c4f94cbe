// Return the contradiction links of all sources except one.
// parameters: source
// columns: from, to, source
MATCH (x:Concept)-[r:CONTRADICTS]->(y:Concept)
WHERE r.source <> $source
RETURN x.key AS `from`, y.key AS `to`, r.source AS source
