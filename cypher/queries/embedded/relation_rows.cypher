// Return the whole table of one relation, whose name replaces RELATION.
// parameters:
// columns: from, to, pmids, articles, first_pmid, last_pmid, belief, changed_in
MATCH (x:Concept)-[r:RELATION]->(y:Concept)
RETURN x.key AS `from`, y.key AS `to`, r.pmids AS pmids, r.articles AS articles, r.first_pmid AS first_pmid,
       r.last_pmid AS last_pmid, r.belief AS belief, r.changed_in AS changed_in
