// The similarity links at one concept, of every model.
// parameters: key
// columns: a, b, cosine
MATCH (x:Concept {key: $key})-[r:SIMILAR_TO]-(y:Concept)
RETURN x.key AS a, y.key AS b, r.cosine AS cosine
