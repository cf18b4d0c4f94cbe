"""The graph in plain dicts: the reference for the tests of all graph stores, and the store for examples."""
