// The similarity links at the neighbours of one concept; KINDS stands for the kinds of link to a neighbour.
// parameters: key
// columns: a, b, cosine
MATCH (:Concept {key: $key})-[:KINDS]-(x:Concept)
WITH DISTINCT x
MATCH (x)-[r:SIMILAR_TO]-(y:Concept)
RETURN x.key AS a, y.key AS b, r.cosine AS cosine
