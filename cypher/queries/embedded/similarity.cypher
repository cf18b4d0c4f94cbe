// The similarity links of one model from one concept to another: one, if all is well.
// parameters: model, head, tail
// columns: model, head, tail, cosine
MATCH (x:Concept {key: $head})-[r:SIMILAR_TO {model: $model}]->(y:Concept {key: $tail})
RETURN r.model AS model, x.key AS head, y.key AS tail, r.cosine AS cosine
