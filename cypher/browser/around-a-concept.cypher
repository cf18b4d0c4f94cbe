// The best supported relations of a concept  (:param head => 'Chemical|MESH:D001241')
MATCH path = (:Concept {key: $head})-[r:!SIMILAR_TO&!CONTRADICTS]-(:Concept)
RETURN path
ORDER BY r.articles DESC
LIMIT 50
