"""The embedded graph store: a ladybug database in a folder."""
