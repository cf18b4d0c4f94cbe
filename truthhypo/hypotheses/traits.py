"""What can be told of a concept without knowing any biology: the features by which a set may give its labels away."""

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

#: NCBI taxonomy: the species told apart by name; all others count as one.
SPECIES = {"human": "9606", "mouse": "10090", "rat": "10116"}

#: Features of a concept, in the order of a row; the first `KINDS` of them tell kinds apart and hold 0 or 1.
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
    """How much a release says of a concept.

    Attributes:
        degree: Relation edges in the whole release.
        seen: Those with a seen article.
        unseen: Those with an unseen article.
        articles: Articles of its edges, added up.
        mentions: How often its names were mentioned.
    """

    degree: int = 0
    seen: int = 0
    unseen: int = 0
    articles: int = 0
    mentions: int = 0


@dataclass(frozen=True)
class Known:
    """What is known of concepts beside their keys.

    Attributes:
        names: Preferred names by key.
        standing: By key; empty where only the set itself is at hand.
        species: Taxon by gene id; empty where no list was given.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    standing: Mapping[str, Standing] = field(default_factory=dict)
    species: Mapping[str, str] = field(default_factory=dict)

    def rows(self, keys: Sequence[str]) -> Matrix:
        """The features of concepts, a row each; `COLUMNS` names them."""
        return np.array([self._row(key) for key in keys], float).reshape(len(keys), len(COLUMNS))

    def taxon(self, key: str) -> str | None:
        """The species of a gene, by its taxon; None where it is not known, or no gene."""
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
    """log(1 + the number in an id): small for what was catalogued first."""
    digits = re.sub(r"\D", "", split_key(key)[1])
    return log1p(int(digits[:18])) if digits else 0.0


def read_species(path: Path) -> dict[str, str]:
    """Taxon of each gene, from NCBI's gene_info (plain or .gz): tab-parted, taxon and GeneID first.

    Raises:
        InputError: The file cannot be read to its end, or a row does not begin with two numbers.
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
                    raise InputError(f"{path}:{number}: {line[:80]!r}", "a taxon, a tab, a GeneID", "give a gene_info")
                found[gene] = taxon
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "NCBI's gene_info, plain or .gz", "give a file that is whole") from error
    if not found:
        raise InputError(f"{path} names no gene", "rows of taxon and GeneID", "give NCBI's gene_info")
    return found


def _form(name: str) -> Iterable[float]:
    """Length, words, and the shares of digits, capitals and marks."""
    length = max(1, len(name))
    yield log1p(len(name))
    yield float(len(name.split()))
    yield sum(map(str.isdigit, name)) / length
    yield sum(map(str.isupper, name)) / length
    yield sum(not letter.isalnum() and not letter.isspace() for letter in name) / length
