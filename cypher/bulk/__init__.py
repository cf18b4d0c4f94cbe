"""A first load with neo4j-admin's importer."""
