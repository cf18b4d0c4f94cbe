// The newest articles behind the edges between two concepts  (:param {head: 'Chemical|MESH:D001241', tail: 'Disease|MESH:D009203'})
MATCH (head:Concept {key: $head})-[r:!SIMILAR_TO&!CONTRADICTS]-(tail:Concept {key: $tail})
UNWIND reverse(r.pmids)[..20] AS pmid
RETURN type(r) AS relation, r.articles AS articles, round(r.belief, 3) AS belief,
       'https://pubmed.ncbi.nlm.nih.gov/' + toString(pmid) + '/' AS article
ORDER BY articles DESC, relation, pmid DESC
