"""The report of runs: tables, figures, instances, one page."""
