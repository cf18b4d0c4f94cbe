"""The graph in plain dicts: the oracle of the contract suite, and the store for examples."""
