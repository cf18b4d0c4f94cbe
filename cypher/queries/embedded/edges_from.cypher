// The relation edges from one concept to some others, with all their PMIDs.
// parameters: key, keys
// columns: head, relation, tail, pmids, changed_in
MATCH (x:Concept {key: $key})-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]->(y:Concept)
WHERE y.key IN $keys
RETURN x.key AS head, label(r) AS relation, y.key AS tail, r.pmids AS pmids, r.changed_in AS changed_in
