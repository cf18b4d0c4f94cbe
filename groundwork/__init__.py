"""The package that all other packages build on: records, ports, errors, settings, probabilities, language models.

This package imports none of the others. The packages of the middle row (see ARCHITECTURE.md) exchange data only through
the records and ports that are defined here. `truthhypo.world` connects them.
"""
