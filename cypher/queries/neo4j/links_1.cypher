// Return the links between two concepts, as one row of columns. Similarity links have no PMIDs, so the cut does not
// apply to them.
// parameters: head, tail, before
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
MATCH (h)-[r:KINDS]-(t)
WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(CASE WHEN r.articles IS NULL THEN 0
                    WHEN $before IS NULL OR r.last_pmid <= $before THEN r.articles
                    ELSE size([p IN r.pmids WHERE p <= $before]) END) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
