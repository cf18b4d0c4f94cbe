// Replace the names of concepts that are there.
// parameters: rows
// columns:
LOAD FROM $rows
MATCH (c:Concept)
WHERE c.key = key
SET c.name = name, c.synonyms = synonyms, c.counts = counts, c.mentions = mentions
