// What was known of a concept before a PMID  (:param {head: 'Chemical|MESH:D001241', before: 36600000})
MATCH (:Concept {key: $head})-[r:!SIMILAR_TO&!CONTRADICTS]-(other:Concept)
WHERE r.first_pmid <= $before
WITH other, r, size([pmid IN r.pmids WHERE pmid <= $before]) AS articles
RETURN other.caption AS concept, type(r) AS relation, articles, r.articles AS articles_today, other.url AS page, other.key AS key
ORDER BY articles DESC, key
LIMIT 100
