// The articles behind the edges between two concepts  (:param {head: 'Chemical|MESH:D001241', tail: 'Disease|MESH:D009203'})
MATCH (head:Concept {key: $head})-[r:!SIMILAR_TO&!CONTRADICTS]-(tail:Concept {key: $tail})
RETURN type(r) AS relation, r.articles AS articles, round(r.belief, 3) AS belief, reverse(r.pmids)[..20] AS newest
ORDER BY articles DESC
