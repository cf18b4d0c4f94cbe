// Return the similarity and contradiction links of the next heads after a key, as one row of columns. `last` is the key
// of the last of these heads, after which the next page begins; it is null if there are no more heads.
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
