"""Generate concepts: their keys, in canonical order and as the file writes them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.performance.generator.mix import HEAD, SLOPE, TYPE_SHARES

#: Ids that the real file has under two types.
_TWO_TYPES = (562477, 564403, 536778)

_VARIANT_FORMS = (
    ("SNP", "RS#:{n}"),
    ("ProteinMutation", "RS#:{n};HGVS:p.R{s}H;CorrespondingGene:{g}"),
    ("DNAMutation", "RS#:{n};HGVS:c.{s}G>A;CorrespondingGene:{g}"),
    ("DNAMutation", "HGVS:c.{n}A>G;CorrespondingGene:{g}"),
    ("DNAMutation", "HGVS:c.{n}_{n}+3delAC,TG-5;CorrespondingGene:{g}"),
    ("ProteinMutation", "HGVS:p.V{n}E"),
    ("SNP", "RS#:{n};CorrespondingGene:{g}"),
    ("Mutation", "Chr8:{n}-18804898del"),
)


@dataclass(frozen=True)
class Keys:
    """Concepts by number. The numbers are in canonical order, so of two ends the one with the lower number comes first.

    Attributes:
        keys: `Type|ID`, unescaped.
        families: Family -> the numbers of its concepts, the most connected first.
    """

    keys: tuple[str, ...]
    families: dict[str, NDArray[np.int64]]

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The keys as they stand in the file, with HTML entities."""
        return tuple(key.replace(">", "&gt;") for key in self.keys)

    @cached_property
    def string_order(self) -> NDArray[np.int64]:
        """Rank of each concept by the string of its written key."""
        place = np.empty(len(self.keys), np.int64)
        place[sorted(range(len(self.keys)), key=self.written.__getitem__)] = np.arange(len(self.keys))
        return place

    def draw(self, family: str, count: int, rng: Generator) -> NDArray[np.int64]:
        """Draw concepts of a family by the power law."""
        members = self.families[family]
        weights = np.cumsum((np.arange(len(members)) + float(HEAD)) ** -SLOPE)
        return members[np.searchsorted(weights, rng.random(count) * weights[-1], side="right")]


def make(count: int, rng: Generator) -> Keys:
    """Return about `count` concepts, at least ten of each family."""
    sizes = {family: max(10, round(count * share)) for family, share in TYPE_SHARES.items()}
    found = [(0, f"MESH:{_mesh(n)}", "Chemical") for n in _numbers(sizes["Chemical"], 1_000_000, rng)]
    found += [(1, _disease(n), "Disease") for n in _numbers(sizes["Disease"], 1_000_000, rng)]
    found += [(2, str(n), "Gene") for n in _distinct(sizes["Gene"], 100_000_000, rng)]
    found += [(3, *_variant(n, rng)) for n in _distinct(sizes["Variant"], 100_000_000, rng)]
    ranked = sorted(found)
    families = {
        family: rng.permutation([number for number, (rank, _, _) in enumerate(ranked) if rank == place])
        for place, family in enumerate(TYPE_SHARES)
    }
    return Keys(tuple(f"{kind}|{ident}" for _, ident, kind in ranked), families)


def _numbers(count: int, below: int, rng: Generator) -> list[int]:
    """Return distinct numbers, among them the ids that two types share."""
    others = [n for n in _distinct(count, below, rng) if n not in _TWO_TYPES]
    return [*_TWO_TYPES, *others][:count]


def _distinct(count: int, below: int, rng: Generator) -> list[int]:
    """Return distinct numbers from 1 to `below` - 1, in random order."""
    found = np.empty(0, np.int64)
    while len(found) < count:
        found = np.unique(np.concatenate([found, rng.integers(1, below, 2 * count)]))
    return rng.permutation(found)[:count].tolist()


def _mesh(n: int) -> str:
    return (f"C{n:06}", f"D{n:06}", f"D{n:09}")[0 if n in _TWO_TYPES else n % 3]


def _disease(n: int) -> str:
    return f"OMIM:{n:06}" if n % 4 == 0 and n not in _TWO_TYPES else f"MESH:{_mesh(n)}"


def _variant(n: int, rng: Generator) -> tuple[str, str]:
    kind, form = _VARIANT_FORMS[int(rng.integers(len(_VARIANT_FORMS)))]
    return form.format(n=n, s=int(rng.integers(1, 2000)), g=int(rng.integers(1, 30_000))), kind
