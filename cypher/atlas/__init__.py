"""Atlases: copies of whole graphs as memory-mapped arrays. Look-ups read an atlas instead of the store."""
