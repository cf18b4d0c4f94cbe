// Write a new edge of one relation, whose name replaces RELATION. If an end is missing, there is no row.
// parameters: from, to, pmids, articles, first_pmid, last_pmid, belief, changed_in
// columns: written
MATCH (x:Concept {key: $from}), (y:Concept {key: $to})
CREATE (x)-[:RELATION {pmids: $pmids, articles: $articles, first_pmid: $first_pmid, last_pmid: $last_pmid,
                       belief: $belief, changed_in: $changed_in}]->(y)
RETURN true AS written
