// The concepts with the most relations
MATCH (c:Concept)
RETURN c.name AS concept, COUNT { (c)-[:!SIMILAR_TO&!CONTRADICTS]-() } AS relations, c.key AS key
ORDER BY relations DESC, key
LIMIT 25
