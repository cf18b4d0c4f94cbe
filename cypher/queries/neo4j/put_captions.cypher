// Replace captions and addresses of concepts.
// parameters: rows
// columns:
UNWIND $rows AS row
MATCH (c:Concept {key: row.key})
SET c.caption = row.caption, c.url = row.url
