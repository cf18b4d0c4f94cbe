"""The report on runs: tables, pictures and instances on one page."""
