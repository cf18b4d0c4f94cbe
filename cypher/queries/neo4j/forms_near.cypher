// Return the forms of some lengths that contain one of the grams. The full-text index finds the concepts; their forms
// are then compared exactly.
// parameters: lucene, grams, shortest, longest
// columns: form
CALL db.index.fulltext.queryNodes('concept_forms', $lucene) YIELD node
UNWIND node.forms AS form
WITH DISTINCT form
WHERE $shortest <= size(form) <= $longest AND any(gram IN $grams WHERE form CONTAINS gram)
RETURN form
