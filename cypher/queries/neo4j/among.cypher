// Return the relation edges between some concepts, with their newest PMIDs under the cut, newest first. PMIDs are
// stored in ascending order, so the newest ones are the last.
// parameters: keys, before, pmids
// columns: head, relation, tail, articles, pmids
UNWIND $keys AS key
MATCH (a:Concept {key: key})-[r:KINDS]->(b:Concept)
WHERE b.key IN $keys AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
WITH a, r, b, CASE WHEN $before IS NULL OR r.last_pmid <= $before THEN r.articles
                   ELSE size([p IN r.pmids WHERE p <= $before]) END AS articles
RETURN a.key AS head, toLower(type(r)) AS relation, b.key AS tail, articles,
       reverse(r.pmids[CASE WHEN articles > $pmids THEN articles - $pmids ELSE 0 END..articles]) AS pmids
