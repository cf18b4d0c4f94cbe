// Return the number of other concepts to which each concept is linked, by kind of link.
// parameters: keys, before, without
// columns: key, kind, degree
UNWIND $keys AS key
MATCH (c:Concept {key: key})-[r:KINDS]-(other)
WHERE other <> c AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  AND ($without IS NULL OR r.pmids IS NULL
       OR any(p IN r.pmids WHERE ($before IS NULL OR p <= $before) AND NOT p IN $without))
RETURN key, toLower(type(r)) AS kind, count(DISTINCT other) AS degree
