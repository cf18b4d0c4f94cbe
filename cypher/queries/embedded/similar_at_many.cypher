// The similarity links at many concepts, of every model, in one pass over all.
// parameters: keys
// columns: a, b, cosine
UNWIND $keys AS key
MATCH (x:Concept)-[r:SIMILAR_TO]-(y:Concept)
WHERE x.key = key
RETURN x.key AS a, y.key AS b, r.cosine AS cosine
