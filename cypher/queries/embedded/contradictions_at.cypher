// The contradiction links at one concept.
// parameters: key
// columns: a, b
MATCH (x:Concept {key: $key})-[:CONTRADICTS]-(y:Concept)
RETURN x.key AS a, y.key AS b
