"""Make the report on benchmark runs: tables, pictures and single instances on one page."""
