// Find a concept by a part of a name  (:param name => 'aspirin')
WITH reduce(form = toLower(normalize($name, NFKC)), c IN [' ', '-', '‐', '–', '—'] | replace(form, c, '')) AS form
WITH reduce(form = form, c IN split('\\+!(){}[]^"~*?:/&|<>', '') | replace(form, c, '\\' + c)) AS escaped
CALL db.index.fulltext.queryNodes('concept_forms', '*' + escaped + '*') YIELD node AS c
RETURN c
ORDER BY c.mentions DESC, c.key
LIMIT 25
