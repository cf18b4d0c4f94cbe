"""Audit a release without changing anything: what it contains, what changed, and whether limits are kept."""
