"""Cells of CSV files that people open in a spreadsheet."""

#: Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(value: object) -> object:
    """Return a cell's value. Text that a spreadsheet would run as a formula is prefixed with '."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
