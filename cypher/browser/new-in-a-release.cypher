// What a release added or changed  (:param release => '0123456789ab')
MATCH path = (:Concept)-[r:!SIMILAR_TO&!CONTRADICTS]->(:Concept)
WHERE r.changed_in = $release
RETURN path
ORDER BY r.last_pmid DESC
LIMIT 50
