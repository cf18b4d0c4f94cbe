"""Check free queries (Cypher that a user wrote): only queries that read are allowed."""
