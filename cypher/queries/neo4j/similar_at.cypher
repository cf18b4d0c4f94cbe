// Return the similarity links between one concept and other concepts, of all models.
// parameters: key
// columns: other, cosine, model
MATCH (:Concept {key: $key})-[r:SIMILAR_TO]-(y:Concept)
RETURN y.key AS other, r.cosine AS cosine, r.model AS model
