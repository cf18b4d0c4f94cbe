// Return the whole table of similarity links, of all models.
// parameters:
// columns: from, to, cosine, model
MATCH (x:Concept)-[r:SIMILAR_TO]->(y:Concept)
RETURN x.key AS `from`, y.key AS `to`, r.cosine AS cosine, r.model AS model
