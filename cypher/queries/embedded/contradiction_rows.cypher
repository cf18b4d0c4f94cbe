// Return the whole table of contradiction links, of all sources.
// parameters:
// columns: from, to, source
MATCH (x:Concept)-[r:CONTRADICTS]->(y:Concept)
RETURN x.key AS `from`, y.key AS `to`, r.source AS source
