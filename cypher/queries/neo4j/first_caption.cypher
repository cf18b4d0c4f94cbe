// Return the caption of the concept with the smallest key; null if an older version of this program wrote the concept.
// Concepts of other programs have no forms.
// parameters:
// columns: caption
MATCH (c:Concept)
WHERE c.key > '' AND c.forms IS NOT NULL
RETURN c.caption AS caption
ORDER BY c.key
LIMIT 1
