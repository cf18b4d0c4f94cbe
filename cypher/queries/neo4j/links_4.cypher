// Return the links on walks of at most 4 links between two concepts, and all other links of the two concepts, as one
// row of columns. The search goes from both ends to the middle. Walks are not enumerated, so the cost depends on the
// number of links around the neighbours.
// parameters: head, tail, before, without
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
CALL (h) {
  MATCH (h)-[r:KINDS]-(m)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_head, collect(DISTINCT m) AS near
}
CALL (t) {
  MATCH (t)-[r:KINDS]-(n)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_tail, collect(DISTINCT n) AS far
}
CALL (near) {
  UNWIND near AS m
  MATCH (m)-[r:KINDS]-(x)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(DISTINCT x) AS second
}
CALL (near, far, second) {
  WITH far, near + second AS reached
  UNWIND far AS n
  MATCH (n)-[r:KINDS]-(x)
  WHERE x IN reached AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(DISTINCT r) AS farther, collect(DISTINCT x) AS middle
}
CALL (near, far, middle) {
  WITH near, far + middle AS reached
  UNWIND near AS m
  MATCH (m)-[r:KINDS]-(x)
  WHERE x IN reached AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(DISTINCT r) AS nearer
}
UNWIND of_head + nearer + farther + of_tail AS r
WITH r, CASE WHEN r.articles IS NULL OR $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.articles
             ELSE size([p IN r.pmids WHERE ($before IS NULL OR p <= $before)
                                       AND ($without IS NULL OR NOT p IN $without)])
        END AS articles
WHERE articles IS NULL OR articles > 0
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(coalesce(articles, 0)) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
