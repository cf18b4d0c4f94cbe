// What is here: concepts by type
MATCH (c:Concept)
WHERE c.type IS NOT NULL AND c.mentions IS NOT NULL
RETURN c.type AS type, count(*) AS concepts, sum(c.mentions) AS mentions
ORDER BY concepts DESC
