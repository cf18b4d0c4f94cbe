// Concepts with similar names, where no relation is known  (:param head => 'Chemical|MESH:D001241')
MATCH path = (head:Concept {key: $head})-[s:SIMILAR_TO]-(other:Concept)
WHERE NOT EXISTS { (head)-[:!SIMILAR_TO&!CONTRADICTS]-(other) }
RETURN path
ORDER BY s.cosine DESC
LIMIT 25
