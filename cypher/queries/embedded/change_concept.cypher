// Replace the names of a concept that is there.
// parameters: key, name, synonyms, counts, mentions
// columns:
MATCH (c:Concept {key: $key})
SET c.name = $name, c.synonyms = $synonyms, c.counts = $counts, c.mentions = $mentions
