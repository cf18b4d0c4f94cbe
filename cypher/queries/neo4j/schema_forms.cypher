// Forms of names and keys, each one term of the index: exact look-ups in a list property, and near ones by parts.
// parameters:
// columns:
CREATE FULLTEXT INDEX concept_forms IF NOT EXISTS FOR (c:Concept) ON EACH [c.forms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}}
