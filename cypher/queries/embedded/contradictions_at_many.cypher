// The contradiction links at many concepts, in one pass over all.
// parameters: keys
// columns: a, b
UNWIND $keys AS key
MATCH (x:Concept)-[:CONTRADICTS]-(y:Concept)
WHERE x.key = key
RETURN x.key AS a, y.key AS b
