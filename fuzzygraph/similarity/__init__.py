"""Similarity edges: embed the names of concepts and find pairs of near names."""
