// Return the settings that say at which port the server has Neo4j Browser.
// parameters:
// columns: name, value
SHOW SETTINGS YIELD name, value
WHERE name =~ 'server\\.https?\\.(enabled|advertised_address)'
RETURN name, value
