"""Similarity edges: names as vectors, and which of them are near."""
