// The relation edges of the next heads after a key, in the order of heads. A head without edges gives a row too, so
// that the last row tells where the next page begins.
// parameters: after, size
// columns: head, relation, tail, pmids
MATCH (a:Concept)
WHERE a.key > $after
WITH a
ORDER BY a.key
LIMIT $size
OPTIONAL MATCH (a)-[r:KINDS]->(b)
RETURN a.key AS head, toLower(type(r)) AS relation, b.key AS tail, r.pmids AS pmids
ORDER BY head
