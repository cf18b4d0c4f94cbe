// Write a new similarity link. If an end is missing, there is no row.
// parameters: from, to, cosine, model
// columns: written
MATCH (x:Concept {key: $from}), (y:Concept {key: $to})
CREATE (x)-[:SIMILAR_TO {cosine: $cosine, model: $model}]->(y)
RETURN true AS written
