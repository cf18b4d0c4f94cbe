// The similarity links of all models but one.
// parameters: model
// columns: from, to, cosine, model
MATCH (x:Concept)-[r:SIMILAR_TO]->(y:Concept)
WHERE r.model <> $model
RETURN x.key AS `from`, y.key AS `to`, r.cosine AS cosine, r.model AS model
