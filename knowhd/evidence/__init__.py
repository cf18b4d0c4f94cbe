"""Gather the evidence on a claim from graph and literature, and write it for judges."""
