// To how many other concepts each concept is linked by each relation under a cut.
// parameters: before
// columns: key, kind, degree
MATCH (x:Concept)-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]-(y:Concept)
WHERE r.first_pmid <= $before AND id(y) <> id(x)
RETURN x.key AS key, label(r) AS kind, count(*) AS degree
