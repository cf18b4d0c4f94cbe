"""Which free queries are let through: those that only read."""
