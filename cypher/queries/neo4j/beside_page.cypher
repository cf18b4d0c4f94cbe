// The similarity and contradiction links of the next heads after a key, in one row of columns, and the last of these
// heads, where the next page begins; null if there are no more heads.
// parameters: after, size
// columns: last, a, b, kind, articles, cosine
MATCH (a:Concept)
WHERE a.key > $after
WITH a
ORDER BY a.key
LIMIT $size
OPTIONAL MATCH (a)-[r:KINDS]->(b)
RETURN max(a.key) AS last, collect(CASE WHEN r IS NOT NULL THEN a.key END) AS a, collect(b.key) AS b,
       collect(toLower(type(r))) AS kind, collect(CASE WHEN r IS NOT NULL THEN 0 END) AS articles,
       collect(CASE WHEN r IS NOT NULL THEN coalesce(r.cosine, 0.0) END) AS cosine
