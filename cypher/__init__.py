"""The graph room: three stores behind one port, their queries as files, and what Neo4j Browser shows."""

from cypher.address import atlas_faults, bulk_import, connect, file_faults, is_there, take_over, turns

__all__ = ["atlas_faults", "bulk_import", "connect", "file_faults", "is_there", "take_over", "turns"]
