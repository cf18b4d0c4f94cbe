// Return the concepts that are not the head of any relation edge. Edges with these heads can be created without a
// search for existing edges.
// parameters: keys
// columns: keys
UNWIND $keys AS key
MATCH (c:Concept {key: key})
WHERE NOT EXISTS { (c)-[:KINDS]->() }
RETURN collect(key) AS keys
