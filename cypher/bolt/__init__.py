"""The graph in Neo4j, over Bolt."""
