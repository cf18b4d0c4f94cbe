// Return the relation edges of some pairs of concepts, with their newest PMIDs under the cut, newest first. Both ends
// are looked up first, and the edge is then searched from the end with fewer edges. OPTIONAL keeps this order, so a hub
// costs no more than other concepts.
// parameters: pairs, before, without, pmids
// columns: head, relation, tail, articles, pmids
UNWIND $pairs AS pair
MATCH (a:Concept {key: pair[0]})
MATCH (b:Concept {key: pair[1]})
OPTIONAL MATCH (a)-[r:KINDS]->(b)
WITH pair, r
WHERE r IS NOT NULL AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
WITH pair, r,
     CASE WHEN $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.pmids
          ELSE [p IN r.pmids WHERE ($before IS NULL OR p <= $before) AND ($without IS NULL OR NOT p IN $without)]
     END AS counted
WHERE size(counted) > 0
WITH pair, r, counted, size(counted) AS articles
RETURN pair[0] AS head, toLower(type(r)) AS relation, pair[1] AS tail, articles,
       reverse(counted[CASE WHEN articles > $pmids THEN articles - $pmids ELSE 0 END..articles]) AS pmids
