"""Make cells of CSV files safe for people who open the files in a spreadsheet program."""

#: Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(value: object) -> object:
    """Return the value of a cell. A quote (') is put before text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
