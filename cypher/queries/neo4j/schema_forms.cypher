// Create the full-text index of the forms of names and keys. Each form is one term, so that forms can be looked up
// exactly in a list property, and similar forms by their parts.
// parameters:
// columns:
CREATE FULLTEXT INDEX concept_forms IF NOT EXISTS FOR (c:Concept) ON EACH [c.forms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}}
