// Make known the types of links that many graphs do not hold, so that Neo4j does not warn of queries that leave them out.
// parameters:
// columns:
UNWIND ['SIMILAR_TO', 'CONTRADICTS'] AS kind
CALL db.createRelationshipType(kind)
