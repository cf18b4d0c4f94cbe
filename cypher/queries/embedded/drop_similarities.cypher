// Remove the similarity links of one model.
// parameters: model
// columns:
MATCH (:Concept)-[r:SIMILAR_TO]->(:Concept)
WHERE r.model = $model
DELETE r
