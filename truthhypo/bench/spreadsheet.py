"""Cells of CSV files that people open in a spreadsheet."""

#: What a spreadsheet takes for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(value: object) -> object:
    """A cell's value; text that a spreadsheet would run is quoted with '."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
