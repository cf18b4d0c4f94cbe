"""Fit the relation reader, and measure it."""
