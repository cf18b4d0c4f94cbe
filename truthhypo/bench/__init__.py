"""Run the benchmark: suites, runner, measures, statistics and report."""
