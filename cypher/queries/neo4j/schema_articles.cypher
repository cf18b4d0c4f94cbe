// Create the index of one relation's edges by number of articles, for queries in Neo4j Browser.
// parameters:
// columns:
CREATE RANGE INDEX `RELATION articles` IF NOT EXISTS FOR ()-[r:RELATION]-() ON (r.articles)
