"""The graph in ladybug, a database in a folder."""
