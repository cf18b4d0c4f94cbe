// Remove the next of a model's similarities.
// parameters: model, size
// columns: dropped
MATCH ()-[r:SIMILAR_TO {model: $model}]->()
WITH r
LIMIT $size
DELETE r
RETURN count(*) AS dropped
