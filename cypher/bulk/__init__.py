"""A first load through neo4j-admin's importer."""
