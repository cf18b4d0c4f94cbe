"""Atlases: a whole graph as memory-mapped arrays, built from a store and used instead of it."""
