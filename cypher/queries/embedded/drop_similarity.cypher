// Remove the similarity link of one model between two concepts.
// parameters: from, to, model
// columns:
MATCH (x:Concept {key: $from})-[r:SIMILAR_TO {model: $model}]->(y:Concept {key: $to})
DELETE r
