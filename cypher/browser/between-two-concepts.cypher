// Chains of two hops between two concepts  (:param {head: 'Chemical|MESH:D001241', tail: 'Disease|MESH:D009203'})
MATCH path = (head:Concept {key: $head})-[r1:!SIMILAR_TO&!CONTRADICTS]-(middle:Concept)
             -[r2:!SIMILAR_TO&!CONTRADICTS]-(tail:Concept {key: $tail})
WHERE middle <> head AND middle <> tail
RETURN path
ORDER BY r1.belief * r2.belief DESC, middle.key
LIMIT 32
