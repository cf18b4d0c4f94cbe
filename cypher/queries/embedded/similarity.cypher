// Return the similarity links of one model from one concept to another: at most one in an undamaged store.
// parameters: model, head, tail
// columns: model, head, tail, cosine
MATCH (x:Concept {key: $head})-[r:SIMILAR_TO {model: $model}]->(y:Concept {key: $tail})
RETURN r.model AS model, x.key AS head, y.key AS tail, r.cosine AS cosine
