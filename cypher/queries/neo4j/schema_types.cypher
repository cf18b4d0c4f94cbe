// Create the index of concepts by type and number of mentions, for queries in Neo4j Browser.
// parameters:
// columns:
CREATE RANGE INDEX concept_types IF NOT EXISTS FOR (c:Concept) ON (c.type, c.mentions)
