// Return sums over the similarity links of each model and over the contradiction links of each source, to detect
// changes. The sums are of whole numbers, so the order of addition does not matter.
// parameters:
// columns: kind, given_by, links, sum, squares
MATCH (a)-[r:KINDS]->(b)
WITH type(r) AS kind, coalesce(r.model, r.source) AS given_by,
     toInteger(coalesce(r.cosine, 0.0) * 1000000) * (1 + size(a.key)) + size(b.key) AS mark
RETURN kind, given_by, count(*) AS links, sum(mark) AS sum, sum(mark % 1000003 * (mark % 999983)) AS squares
ORDER BY kind, given_by
