// Which concepts begin no edge of one relation: theirs can be created without looking for what is there.
// parameters: keys
// columns: keys
UNWIND $keys AS key
MATCH (c:Concept {key: key})
WHERE NOT EXISTS { (c)-[:RELATION]->() }
RETURN collect(key) AS keys
