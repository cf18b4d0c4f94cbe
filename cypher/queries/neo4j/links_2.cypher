// Return the links on walks of at most 2 links between two concepts, as one row of columns. The query is a union over
// the lengths. The steps of a walk are in separate MATCH clauses, because Cypher uses no link twice within one clause.
// parameters: head, tail, before, without
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
CALL (h, t) {
  MATCH (h)-[r:KINDS]-(t)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN r
UNION
  MATCH (h)-[r1:KINDS]-(m)
  MATCH (m)-[r2:KINDS]-(t)
  WHERE ($before IS NULL OR coalesce(r1.first_pmid, 0) <= $before)
    AND ($before IS NULL OR coalesce(r2.first_pmid, 0) <= $before)
  UNWIND [r1, r2] AS r
  RETURN r
}
WITH r, CASE WHEN r.articles IS NULL OR $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.articles
             ELSE size([p IN r.pmids WHERE ($before IS NULL OR p <= $before)
                                       AND ($without IS NULL OR NOT p IN $without)])
        END AS articles
WHERE articles IS NULL OR articles > 0
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(coalesce(articles, 0)) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
