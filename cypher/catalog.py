"""The named queries: one .cypher file each, with a header that declares its parameters and columns.

    // The purpose of the query, in one or more lines.
    // parameters: key, before
    // columns: a, b, kind

A test runs each query and compares its header with the parameters that it uses and the columns that it returns.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from groundwork.errors import StoreError
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

#: Relationship type of each kind of link. Only these fixed types are inserted into the text of a query.
_TYPES = {kind: kind.upper() for kind in (*RELATIONS, SIMILAR_TO, CONTRADICTS)}
_HEADER = re.compile(r"// (parameters|columns):(.*)")


@dataclass(frozen=True, slots=True)
class Query:
    """A named query.

    Attributes:
        name: The file's name without its ending.
        text: The query without the header.
        parameters: The names of its parameters.
        columns: The names of its columns, in order; empty for a query that returns nothing.
        purpose: The header's description.
    """

    name: str
    text: str
    parameters: tuple[str, ...]
    columns: tuple[str, ...]
    purpose: str

    def naming(self, *kinds: str) -> str:
        """Return the text. The relationship types of the given kinds of links replace the words RELATION and KINDS."""
        return re.sub(r"\b(RELATION|KINDS)\b", "|".join(_TYPES[kind] for kind in kinds), self.text)


@cache
def query(dialect: str, name: str) -> Query:
    """Return a query of a dialect (`embedded` or `neo4j`) by name.

    Raises:
        StoreError: If the file is missing, or its header does not declare parameters and columns.
    """
    file = files("cypher") / "queries" / dialect / f"{name}.cypher"
    if not file.is_file():
        raise StoreError(f"the query {dialect}/{name} is missing", "a complete installation", "install truthhypo again")
    lines = file.read_text("utf-8").splitlines()
    header = [line for line in lines if line.startswith("//")]
    declared = {found[1]: found[2] for line in header if (found := _HEADER.match(line))}
    if declared.keys() != {"parameters", "columns"}:
        raise StoreError(f"the query {dialect}/{name} does not declare parameters and columns", "a header with both")
    return Query(
        name,
        "\n".join(line for line in lines if not line.startswith("//")).strip(),
        _words(declared["parameters"]),
        _words(declared["columns"]),
        " ".join(line.removeprefix("// ") for line in header if not _HEADER.match(line)),
    )


def _words(listed: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in listed.split(",") if word.strip())
