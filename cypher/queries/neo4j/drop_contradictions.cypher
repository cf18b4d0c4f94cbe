// Remove the next contradictions of a source.
// parameters: source, size
// columns: dropped
MATCH ()-[r:CONTRADICTS {source: $source}]->()
WITH r
LIMIT $size
DELETE r
RETURN count(*) AS dropped
