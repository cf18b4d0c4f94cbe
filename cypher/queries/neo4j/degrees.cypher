// How many other concepts each concept is linked to, by kind.
// parameters: keys, before
// columns: key, kind, degree
UNWIND $keys AS key
MATCH (c:Concept {key: key})-[r:KINDS]-(other)
WHERE other <> c AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
RETURN key, toLower(type(r)) AS kind, count(DISTINCT other) AS degree
