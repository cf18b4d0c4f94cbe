"""What a viewer of the graph, such as Neo4j Browser, shows of a concept: a caption, and a link to its database."""

import re

from groundwork.links import links
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS

#: The HGVS name, or the RS number, in a variant's id.
_HGVS = re.compile(r"(?:^|;)HGVS:([^;]+)")
_RS = re.compile(r"(?:(?:^|;)RS#:(?:rs)?|^(?:tmVar:)?rs)(\d+)(?=;|$)", re.IGNORECASE)


def caption(concept: Concept) -> str:
    """Return the name. Without names, return `Gene 5743`, `Chemical D001241`, or a variant's HGVS or rs number."""
    if concept.synonyms:
        return concept.name
    if concept.type not in VARIANTS:
        return f"{concept.type} {concept.id.removeprefix('MESH:')}"
    if found := _HGVS.search(concept.id):
        return found[1]
    return f"rs{found[1]}" if (found := _RS.search(concept.id)) else concept.id


def url(concept: Concept) -> str | None:
    """Return the address of a page about a concept in a public database; None if no database is known for its id."""
    return next(iter(links(concept.key).values()), None)
