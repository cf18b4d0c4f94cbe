// Return the number of other concepts to which each concept is linked, by kind of link.
// parameters: keys, before
// columns: key, kind, degree
UNWIND $keys AS key
MATCH (c:Concept {key: key})-[r:KINDS]-(other)
WHERE other <> c AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
RETURN key, toLower(type(r)) AS kind, count(DISTINCT other) AS degree
