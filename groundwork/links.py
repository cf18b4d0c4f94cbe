"""Links to the pages of public databases about a concept."""

import re
from collections.abc import Mapping

from groundwork.records import split_key

#: Name of the database; pattern of its ids; address, into which the group of the pattern is inserted; the only type of
#: concept that gets this link, or "" for all types.
_PLACES = (
    ("MeSH", re.compile(r"MESH:(.+)"), "https://meshb.nlm.nih.gov/record/ui?ui={}", ""),
    ("OMIM", re.compile(r"OMIM:(\d+)"), "https://omim.org/entry/{}", ""),
    ("NCBI Gene", re.compile(r"(\d+)"), "https://www.ncbi.nlm.nih.gov/gene/{}", "Gene"),
    ("NCBI Taxonomy", re.compile(r"(\d+)"), "https://www.ncbi.nlm.nih.gov/datasets/taxonomy/{}", "Species"),
    ("dbSNP", re.compile(r"(?i:.*RS#:(?:rs)?|rs)(\d+)(?:;.*)?"), "https://www.ncbi.nlm.nih.gov/snp/rs{}", ""),
    ("Cellosaurus", re.compile(r"CVCL[_:](\w+)"), "https://www.cellosaurus.org/CVCL_{}", ""),
)


def links(key: str) -> Mapping[str, str]:
    """Return the addresses of the pages about a concept, by database; empty if no database is known for its id."""
    kind, ident = split_key(key)
    found = ((name, pattern.fullmatch(ident), place, only) for name, pattern, place, only in _PLACES)
    return {name: place.format(match[1]) for name, match, place, only in found if match and only in ("", kind)}
