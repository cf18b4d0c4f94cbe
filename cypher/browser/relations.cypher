// What is here: edges by relation
MATCH (:Concept)-[r:!SIMILAR_TO&!CONTRADICTS]->(:Concept)
RETURN type(r) AS relation, count(*) AS edges, sum(r.articles) AS articles, max(r.articles) AS most
ORDER BY edges DESC
