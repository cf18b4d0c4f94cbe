// Replace the names of an existing concept.
// parameters: key, name, synonyms, counts, mentions, organism, description
// columns:
MATCH (c:Concept {key: $key})
SET c.name = $name, c.synonyms = $synonyms, c.counts = $counts, c.mentions = $mentions,
    c.organism = $organism, c.description = $description
