// Remove a concept with all its links.
// parameters: key
// columns:
MATCH (c:Concept {key: $key})
DETACH DELETE c
