"""The graph room: three stores behind one port, their queries as files, and what Neo4j Browser shows."""

from cypher.address import connect

__all__ = ["connect"]
