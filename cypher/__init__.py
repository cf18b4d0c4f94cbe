"""The graph stores: in memory, embedded and on Neo4j, behind one port, with their queries as files."""

from cypher.address import atlas_faults, bulk_import, connect, file_faults, is_there, take_over

__all__ = ["atlas_faults", "bulk_import", "connect", "file_faults", "is_there", "take_over"]
