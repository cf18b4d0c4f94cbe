// Write or replace concepts. The labels are the concept's type, and Variant for variants.
// parameters: rows
// columns:
UNWIND $rows AS row
MERGE (c:Concept {key: row.key})
SET c:$(row.labels), c += row.properties
