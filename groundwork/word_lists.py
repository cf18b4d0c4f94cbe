"""Read the word lists that come with the program: tab-separated files with comments and a header."""

from importlib.resources import files


def rows(package: str, name: str) -> list[list[str]]:
    """Return the rows of a file in a package as lists of columns, without the comments and the header."""
    lines = files(package).joinpath(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]
