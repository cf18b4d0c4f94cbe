// Return all links of two concepts, and the links between a neighbour of one and a neighbour of the other, once each,
// as one row of columns. They contain all links on walks of at most 3 links. The links between neighbours are searched
// from the side whose neighbours have fewer links. The server stores these numbers, so a hub near one end costs little,
// unless there is a hub near both ends.
// parameters: head, tail, before, without
// columns: a, b, kind, articles, cosine
MATCH (h:Concept {key: $head}), (t:Concept {key: $tail})
CALL (h) {
  MATCH (h)-[r:KINDS]-(m)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_head, collect(DISTINCT m) AS near, sum(COUNT { (m)--() }) AS beside_head
}
CALL (t) {
  MATCH (t)-[r:KINDS]-(m)
  WHERE ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(r) AS of_tail, collect(DISTINCT m) AS far, sum(COUNT { (m)--() }) AS beside_tail
}
CALL (near, far, beside_head, beside_tail) {
  WITH CASE WHEN beside_head < beside_tail THEN near ELSE far END AS fewer,
       CASE WHEN beside_head < beside_tail THEN far ELSE near END AS others
  UNWIND fewer AS m
  MATCH (m)-[r:KINDS]-(n)
  WHERE n IN others AND ($before IS NULL OR coalesce(r.first_pmid, 0) <= $before)
  RETURN collect(DISTINCT r) AS bridges
}
UNWIND bridges + of_head + of_tail AS r
WITH r, CASE WHEN r.articles IS NULL OR $without IS NULL AND ($before IS NULL OR r.last_pmid <= $before) THEN r.articles
             ELSE size([p IN r.pmids WHERE ($before IS NULL OR p <= $before)
                                       AND ($without IS NULL OR NOT p IN $without)])
        END AS articles
WHERE articles IS NULL OR articles > 0
RETURN collect(startNode(r).key) AS a, collect(endNode(r).key) AS b, collect(toLower(type(r))) AS kind,
       collect(coalesce(articles, 0)) AS articles,
       collect(coalesce(r.cosine, 0.0)) AS cosine
