// All relation edges.
// parameters:
// columns: head, relation, tail, pmids
MATCH (x:Concept)-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]->(y:Concept)
RETURN x.key AS head, label(r) AS relation, y.key AS tail, r.pmids AS pmids
