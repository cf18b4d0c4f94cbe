// To how many other concepts each concept is similar by any model.
// parameters:
// columns: key, kind, degree
MATCH (x:Concept)-[r:SIMILAR_TO]-(y:Concept)
WHERE id(y) <> id(x)
RETURN x.key AS key, label(r) AS kind, count(DISTINCT y.key) AS degree
