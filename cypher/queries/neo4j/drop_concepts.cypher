// Remove concepts with all their edges.
// parameters: keys
// columns:
UNWIND $keys AS key
MATCH (c:Concept {key: key})
DETACH DELETE c
