// Return the links between two concepts, as one row of columns. Similarity links have no PMIDs, so the cut does not
// apply to them.
// parameters: head, tail, before, without
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
MATCH (h)-[r:KINDS]-(t)
WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
WITH r, CASE WHEN r.articles IS NULL OR $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.articles
             ELSE size([p IN r.pmids WHERE ($before IS NULL OR p <= $before)
                                       AND ($without IS NULL OR NOT p IN $without)])
        END AS articles
WHERE articles IS NULL OR articles > 0
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(coalesce(articles, 0)) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
