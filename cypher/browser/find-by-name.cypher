// Find a concept by a part of a name  (:param name => 'aspirin')
MATCH (c:Concept)
WHERE any(name IN c.synonyms WHERE toLower(name) CONTAINS toLower($name))
RETURN c
ORDER BY c.mentions DESC
LIMIT 25
