// Return the relation edges between some concepts, with their newest PMIDs under the cut, newest first. PMIDs are
// stored in ascending order, so the newest ones are the last.
// parameters: keys, before, without, pmids
// columns: head, relation, tail, articles, pmids
UNWIND $keys AS key
MATCH (a:Concept {key: key})-[r:KINDS]->(b:Concept)
WHERE b.key IN $keys AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
WITH a, r, b,
     CASE WHEN $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.pmids
          ELSE [p IN r.pmids WHERE ($before IS NULL OR p <= $before) AND ($without IS NULL OR NOT p IN $without)]
     END AS counted
WHERE size(counted) > 0
WITH a, r, b, counted, size(counted) AS articles
RETURN a.key AS head, toLower(type(r)) AS relation, b.key AS tail, articles,
       reverse(counted[CASE WHEN articles > $pmids THEN articles - $pmids ELSE 0 END..articles]) AS pmids
