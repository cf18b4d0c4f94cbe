// What is here: concepts by type
MATCH (c:Concept)
RETURN c.type AS type, count(*) AS concepts, sum(c.mentions) AS mentions
ORDER BY concepts DESC
