// The relations at many concepts under a cut, in one pass over all: for more concepts than are worth a query each.
// parameters: keys, before
// columns: a, b, kind, articles, pmids
UNWIND $keys AS key
MATCH (x:Concept)-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]-(y:Concept)
WHERE x.key = key AND r.first_pmid <= $before
RETURN x.key AS a, y.key AS b, label(r) AS kind, r.articles AS articles,
       CASE WHEN r.last_pmid > $before THEN r.pmids END AS pmids
