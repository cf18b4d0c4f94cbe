// Remove a concept with every link at it.
// parameters: key
// columns:
MATCH (c:Concept {key: $key})
DETACH DELETE c
