// Return the number of edges of each relation.
// parameters:
// columns: relation, edges
MATCH (:Concept)-[r:ASSOCIATE|CAUSE|COMPARE|CONVERT|COTREAT|DRUG_INTERACT|INHIBIT|INTERACT|NEGATIVE_CORRELATE|POSITIVE_CORRELATE|PREVENT|STIMULATE|TREAT]->(:Concept)
RETURN label(r) AS relation, count(*) AS edges
