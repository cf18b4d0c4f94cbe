// Make keys of concepts unique.
// parameters:
// columns:
CREATE CONSTRAINT concept_key IF NOT EXISTS FOR (c:Concept) REQUIRE c.key IS UNIQUE
