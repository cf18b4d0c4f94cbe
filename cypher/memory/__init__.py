"""The graph in plain dicts: the reference of the contract tests, and the store for examples."""
