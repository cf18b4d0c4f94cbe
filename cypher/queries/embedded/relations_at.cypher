// The relations at one concept under a cut. pmids come only where the cut parts them: a lambda takes no parameter.
// parameters: key, before
// columns: a, b, kind, articles, pmids
MATCH (x:Concept {key: $key})-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]-(y:Concept)
WHERE r.first_pmid <= $before
RETURN x.key AS a, y.key AS b, label(r) AS kind, r.articles AS articles,
       CASE WHEN r.last_pmid > $before THEN r.pmids END AS pmids
