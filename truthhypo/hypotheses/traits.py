"""Compute features of concepts without using any biology, such as the length of a concept's name.

If these features predict the labels, a benchmark set leaks.
"""

import gzip
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.records import split_key

Matrix = NDArray[np.float64]

#: The species that are distinguished, with their NCBI taxonomy ids. All other species count as one.
SPECIES = {"human": "9606", "mouse": "10090", "rat": "10116"}

#: Names of the features of a concept, in order. The first `KINDS` features are 0 or 1 and distinguish kinds of concept.
COLUMNS = (
    *("mesh_descriptor", "mesh_supplement", "omim"),
    *SPECIES,
    *("other_species", "nameless"),
    *("id_magnitude", "name_length", "name_words", "name_digits", "name_capitals", "name_marks"),
    *("degree", "degree_seen", "degree_unseen", "articles", "mentions"),
)
KINDS = 3 + len(SPECIES) + 2


@dataclass(frozen=True, slots=True)
class Standing:
    """Counts of a concept's edges, articles and mentions in a release.

    Attributes:
        degree: Number of relation edges in the whole release.
        seen: Number of edges with an article up to `release.Cuts.seen_to`.
        unseen: Number of edges with an article from `release.Cuts.unseen_from` on.
        articles: Sum of the numbers of articles of the concept's edges.
        mentions: Number of mentions of the concept's names.
    """

    degree: int = 0
    seen: int = 0
    unseen: int = 0
    articles: int = 0
    mentions: int = 0


@dataclass(frozen=True)
class Known:
    """Names, counts and species of concepts.

    Attributes:
        names: Preferred names by key.
        standing: Counts in the release, by key; empty if the release is not available.
        species: NCBI taxonomy id by gene id; empty if no list was given.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    standing: Mapping[str, Standing] = field(default_factory=dict)
    species: Mapping[str, str] = field(default_factory=dict)

    def rows(self, keys: Sequence[str]) -> Matrix:
        """Return the features of concepts, one row per concept, with the columns `COLUMNS`."""
        return np.array([self._row(key) for key in keys], float).reshape(len(keys), len(COLUMNS))

    def taxon(self, key: str) -> str | None:
        """Return the NCBI taxonomy id of a gene, or None if it is unknown or the concept is not a gene."""
        kind, ident = split_key(key)
        return self.species.get(ident) if kind == "Gene" else None

    def _row(self, key: str) -> list[float]:
        ident = split_key(key)[1]
        taxon, name = self.taxon(key), self.names.get(key, ident)
        standing = self.standing.get(key, Standing())
        known = [taxon == wanted for wanted in SPECIES.values()]
        counts = (standing.degree, standing.seen, standing.unseen, standing.articles, standing.mentions)
        return [
            ident.startswith("MESH:D"),
            ident.startswith("MESH:C"),
            ident.startswith("OMIM:"),
            *known,
            taxon is not None and not any(known),
            name == ident,
            magnitude(key),
            *_form(name),
            *map(log1p, counts),
        ]


def magnitude(key: str) -> float:
    """Return log(1 + n), where n is the number in an id. It is small for concepts that were catalogued early."""
    digits = re.sub(r"\D", "", split_key(key)[1])
    return log1p(int(digits[:18])) if digits else 0.0


def read_species(path: Path) -> dict[str, str]:
    """Read the taxon of each gene from NCBI's gene_info (plain or .gz), whose first columns are taxon and GeneID.

    Raises:
        InputError: The file cannot be read completely or has no row, or a row does not begin with two numbers.
    """
    found: dict[str, str] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#") or not line.strip():
                    continue
                taxon, _, rest = line.partition("\t")
                gene = rest.partition("\t")[0].strip()
                if not (taxon.isdecimal() and gene.isdecimal()):
                    raise InputError(
                        f"{path}:{number}: {line[:80]!r}", "a taxon, a tab, a GeneID", "give NCBI's gene_info"
                    )
                found[gene] = taxon
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "NCBI's gene_info, plain or .gz", "give a complete file") from error
    if not found:
        raise InputError(f"{path} names no gene", "rows of taxon and GeneID", "give NCBI's gene_info")
    return found


def _form(name: str) -> Iterable[float]:
    """Yield features of a name: length, number of words, and shares of digits, capitals and punctuation."""
    length = max(1, len(name))
    yield log1p(len(name))
    yield float(len(name.split()))
    yield sum(map(str.isdigit, name)) / length
    yield sum(map(str.isupper, name)) / length
    yield sum(not letter.isalnum() and not letter.isspace() for letter in name) / length
