// The relations at the neighbours of one concept under a cut; KINDS stands for the kinds of link to a neighbour.
// parameters: key, before
// columns: a, b, kind, articles, pmids
MATCH (:Concept {key: $key})-[:KINDS]-(x:Concept)
WITH DISTINCT x
MATCH (x)-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]-(y:Concept)
WHERE r.first_pmid <= $before
RETURN x.key AS a, y.key AS b, label(r) AS kind, r.articles AS articles,
       CASE WHEN r.last_pmid > $before THEN r.pmids END AS pmids
