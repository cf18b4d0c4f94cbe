"""Measure the risk of a statement: read its claims, and compute how well paths of uncertain edges support them."""
