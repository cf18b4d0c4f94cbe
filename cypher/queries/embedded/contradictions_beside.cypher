// The contradiction links at the neighbours of one concept; KINDS stands for the kinds of link to a neighbour.
// parameters: key
// columns: a, b
MATCH (:Concept {key: $key})-[:KINDS]-(x:Concept)
WITH DISTINCT x
MATCH (x)-[:CONTRADICTS]-(y:Concept)
RETURN x.key AS a, y.key AS b
