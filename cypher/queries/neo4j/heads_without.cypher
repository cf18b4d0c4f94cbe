// Which concepts begin no relation edge: theirs can be created without looking for what is there.
// parameters: keys
// columns: keys
UNWIND $keys AS key
MATCH (c:Concept {key: key})
WHERE NOT EXISTS { (c)-[:KINDS]->() }
RETURN collect(key) AS keys
