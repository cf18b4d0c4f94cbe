"""What kind of study an article reports: its design, and the organism studied.

The design follows from the publication types and MeSH headings of the PubMed record, in the order of precedence of
`designs.tsv`. The organism follows from the MeSH headings, or else from the Species annotations of PubTator.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import cast, get_args

from groundwork.errors import InputError
from groundwork.language import rows
from groundwork.notices import is_notice
from groundwork.organisms import HUMAN, organism_name, organisms_named
from groundwork.records import Abstract, Design, Record, Text, split_key

#: All designs. The embedded literature stores a design as its place here, so new designs go to the end.
DESIGNS: tuple[Design, ...] = get_args(Design)


@dataclass(frozen=True, slots=True)
class Study(Record):
    """The kind of study that an article reports.

    Attributes:
        design: The design; None if the record does not tell it.
        taxon: NCBI taxon id of the organism studied; "" if it is not known.
    """

    design: Design | None
    taxon: str

    @property
    def organism(self) -> str | None:
        """The name of the organism studied, such as `mouse`; None if it is not known."""
        return organism_name(self.taxon) or None


@dataclass(frozen=True, slots=True)
class _Rule:
    """A row of `designs.tsv`: the design of articles with one of these terms and without a heading."""

    design: Design
    by_type: bool
    terms: frozenset[str]
    without: str


def kind_of_study(design: str | None, organism: str | None) -> str:
    """Return design and organism in a few words, such as `animal, mouse`; empty if neither is known."""
    return ", ".join(filter(None, (design, organism)))


def known_designs(names: Iterable[str]) -> frozenset[Design]:
    """Return designs given by their names.

    Raises:
        InputError: A name is not that of a design.
    """
    given = frozenset(names)
    if unknown := sorted(given - {*DESIGNS}):
        raise InputError(f"no design {unknown[0]!r}", f"one of {', '.join(DESIGNS)}", "correct the design")
    return cast("frozenset[Design]", given)


def study_of(article: Abstract) -> Study:
    """Return the kind of study that an article reports."""
    headings = [descriptor(heading) for heading in article.text.mesh]
    design = _design(article.text, headings)
    return Study(design, _taxon(article, headings, design))


def descriptor(heading: str) -> str:
    """Return the descriptor of a MeSH heading (`Text.mesh`), without its qualifiers and the mark of a major topic."""
    return heading.partition("/")[0].lstrip("*")


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(cast("Design", design), source == "type", frozenset(terms.split("|")), without)
        for design, source, terms, without in rows("groundwork", "designs.tsv")
    )


@cache
def _taxa() -> dict[str, str]:
    """Return the taxon id of each MeSH descriptor of an organism."""
    return {row[0]: row[1] for row in rows("groundwork", "mesh_organisms.tsv")}


def _design(text: Text, headings: list[str]) -> Design | None:
    if is_notice(text):
        return "notice"
    for rule in _rules():
        held = text.types if rule.by_type else headings
        if not rule.terms.isdisjoint(held) and rule.without not in headings:
            return rule.design
    return None


def _taxon(article: Abstract, headings: list[str], design: Design | None) -> str:
    """Return the taxon id of the organism studied, or "".

    Many articles on animals or cells have the heading Humans as well. So humans come first, but not in a study in
    animals. Of several animals, the one that title and abstract name most often is chosen.
    """
    meant = dict.fromkeys(_taxa()[name] for each in headings if (name := _species(each)))
    if HUMAN in meant and (design != "animal" or len(meant) == 1):
        return HUMAN
    meant.pop(HUMAN, None)
    if not meant:
        annotated = (split_key(key) for key in article.concepts)
        meant = dict.fromkeys(ident for kind, ident in annotated if kind == "Species" and ident.isdecimal())
    return max(meant, key=_mentions(article, meant).__getitem__) if len(meant) > 1 else next(iter(meant), "")


def _species(heading: str) -> str | None:
    """Return the descriptor of an organism that a heading names; None for other headings."""
    return next((name for name in (heading, heading.partition(",")[0]) if name in _taxa()), None)


def _mentions(article: Abstract, taxa: dict[str, None]) -> Counter[str]:
    """Return how often title and abstract name each organism: by the annotated words, or else by its usual words."""
    text = f"{article.text.title} {article.text.abstract}"
    counts = Counter({taxon: count for taxon, count in organisms_named(text).items() if taxon in taxa})
    spoken = Counter[str]()
    for words, key in article.spoken:
        kind, ident = split_key(key)
        if kind == "Species" and ident in taxa:
            spoken[ident] += text.count(words)
    return counts | spoken
