"""Runs of the benchmark: a suite, its runner, measures, statistics and the report."""
