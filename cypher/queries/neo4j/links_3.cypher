// The links on walks of at most 3 between two concepts, and all other links of the two: theirs, and those between a
// neighbour of the one and a neighbour of the other, once each however many walks pass them. In one row of columns.
// The bridges come first: rows of a join would carry, and pay for, whatever lists were collected before them.
// parameters: head, tail, before
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
CALL (h, t) {
  MATCH (h)-[r1:KINDS]-(m)
  MATCH (m)-[r:KINDS]-(n)
  MATCH (n)-[r3:KINDS]-(t)
  WHERE ($before IS NULL OR coalesce(r1.first_pmid, 0) <= $before)
    AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
    AND ($before IS NULL OR coalesce(r3.first_pmid, 0) <= $before)
  RETURN collect(DISTINCT r) AS bridges
}
CALL (h) {
  MATCH (h)-[r:KINDS]-()
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_head
}
CALL (t) {
  MATCH (t)-[r:KINDS]-()
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_tail
}
UNWIND bridges + of_head + of_tail AS r
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(CASE WHEN r.articles IS NULL THEN 0
                    WHEN $before IS NULL OR r.last_pmid <= $before THEN r.articles
                    ELSE size([p IN r.pmids WHERE p <= $before]) END) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
