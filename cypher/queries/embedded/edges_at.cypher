// Return the relation edges between one concept and other concepts, with all their PMIDs.
// parameters: key
// columns: relation, other, pmids
MATCH (x:Concept {key: $key})-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]-(y:Concept)
WHERE y.key <> $key
RETURN label(r) AS relation, y.key AS other, r.pmids AS pmids
