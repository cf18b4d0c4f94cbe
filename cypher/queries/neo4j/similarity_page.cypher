// Return the similarities of the next heads after a key, as one row of columns. `last` is the key of the last of these
// heads, after which the next page begins; it is null if there are no more heads.
// parameters: after, size
// columns: last, model, head, tail, cosine
MATCH (a:Concept)
WHERE a.key > $after
WITH a
ORDER BY a.key
LIMIT $size
OPTIONAL MATCH (a)-[r:SIMILAR_TO]->(b)
RETURN max(a.key) AS last, collect(r.model) AS model, collect(CASE WHEN r IS NOT NULL THEN a.key END) AS head,
       collect(b.key) AS tail, collect(r.cosine) AS cosine
