"""The names of the queries in a dialect's folder."""

from pathlib import Path

import cypher


def names(dialect: str) -> list[str]:
    """Return the names of a dialect's queries, sorted."""
    return sorted(file.stem for file in (Path(cypher.__file__).parent / "queries" / dialect).glob("*.cypher"))
