// Return the relation edges between one concept and other concepts, with all their PMIDs.
// parameters: key
// columns: relation, other, pmids
MATCH (:Concept {key: $key})-[r:KINDS]-(y:Concept)
WHERE y.key <> $key
RETURN toLower(type(r)) AS relation, y.key AS other, r.pmids AS pmids
