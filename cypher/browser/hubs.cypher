// The concepts with the most relations
MATCH (c:Concept)
WHERE c.key IS NOT NULL
WITH c, COUNT { (c)--() } - COUNT { (c)-[:SIMILAR_TO|CONTRADICTS]-() } AS relations
ORDER BY relations DESC, c.key
LIMIT 25
RETURN c.caption AS concept, relations, c.url AS page, c.key AS key
