"""Measure speed and memory, beside other ways to do the same work."""
