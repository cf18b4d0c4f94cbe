// Create the index of one relation's edges by release and newest PMID, for queries in Neo4j Browser.
// parameters:
// columns:
CREATE RANGE INDEX `RELATION releases` IF NOT EXISTS FOR ()-[r:RELATION]-() ON (r.changed_in, r.last_pmid)
