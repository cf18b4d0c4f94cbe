// To how many other concepts one concept is similar by any model.
// parameters: key
// columns: key, kind, degree
MATCH (x:Concept {key: $key})-[r:SIMILAR_TO]-(y:Concept)
WHERE id(y) <> id(x)
RETURN x.key AS key, label(r) AS kind, count(DISTINCT y.key) AS degree
