"""What an article reports: its design, the organism studied, its sections, and whether it is a notice.

A notice corrects, retracts or comments on another article and is no evidence itself.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast, get_args

from groundwork.errors import InputError
from groundwork.language import rows
from groundwork.organisms import HUMAN, organism_name, organisms_named
from groundwork.records import Abstract, Design, Record, Text, split_key

#: Words that begin or end a title only if the document is a notice.
_ALWAYS = r"errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a)|expressions?\ of\ concern"
#: Words that are also ordinary words of titles ("Correction of anemia", "Retraction pockets", "Response to imatinib").
_ALSO_ORDINARY = r"(?:partial\ )?(?:retractions?|corrections?|comments?|commentar(?:y|ies)|reply|response)"
#: Who writes a notice, before the word for it.
_WRITER = r"(?:the\ )?(?:author|editor|publisher)s?(?:['’]s?)?"

_NOTICE = re.compile(
    rf"""
    ^[\[("'“‘]*
    (?:
        (?:(?:published|editorial|{_WRITER})\ )?(?:{_ALWAYS})\b
      | {_WRITER}\ (?:{_ALSO_ORDINARY})\b
      | (?:editorial|invited)\ comment(?:s|ar(?:y|ies))?\b
      | (?:retraction|correction|removal|withdrawal)\ (?:notice|note|statement)\b
      | (?:notice|note|statement)\ of\ (?:partial\ )?(?:retraction|correction|concern|removal|withdrawal)\b
      | comment(?:s|ar(?:y|ies))?\ (?:on|to|regarding)\b
      | (?:reply|in\ reply)\ (?:to|from|by)\b
      | re:
        # An ordinary word is a notice if nothing follows it but the title of the other article, or its authors.
      | (?:{_ALSO_ORDINARY}|in\ (?:reply|response))(?:\ (?:to|for|of|on))?(?:\ ?[:.;—\]]|\ [-–]\ |$)
      | {_ALSO_ORDINARY}\ (?:to|for|of|in)\ (?:the\ )?(?:article|paper|letter|editor|comment|correspondence)\b
      | (?:retraction|correction|response)\ (?:to|for|of)\ [^:]*\bet\ al\b
      | (?:corrections?|response)\ (?:to|for)\ ["'“‘]
      | retraction\ (?:to|for|of)\ ["'“‘]
      | corrections?\ to\ (?-i:[A-Z])
    )
    | [:.;?!\]]\ \W*(?:{_WRITER}\ )?(?:{_ALWAYS}|correction|retraction(?:\ notice)?|reply)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_notice(text: Text) -> bool:
    """Return whether a document is a notice: a retraction, erratum, correction, comment or expression of concern.

    The publication types decide if they tell (`Text.notice`), otherwise the title. A retracted article is no notice.
    """
    return titled_as_notice(text.title) if text.notice is None else text.notice


def titled_as_notice(title: str) -> bool:
    """Return whether a title is that of a notice, such as "Erratum: ..." or "Comment on ..."."""
    return _NOTICE.search(" ".join(title.split())) is not None


Section = Literal["title", "background", "objective", "methods", "results", "conclusions"]

#: Words of labels and the section that they name. The first line with a word of the label counts, so "METHODS AND
#: RESULTS" are results, as in NLM's categories. None: the label begins a part that is none of these sections.
_SECTIONS: tuple[tuple[Section | None, str], ...] = (
    ("background", "ethnopharmacological"),  # not "CLINICAL RELEVANCE" but "ETHNOPHARMACOLOGICAL RELEVANCE"
    ("results", "finding observation result synthesis"),
    (None, "case disclosure feature funding keyword level picture registration unassigned unlabelled"),
    (
        "conclusions",
        "comment conclusion discussion impact implication interpretation limitation message opinion perspective"
        " recommendation relevance significance summary",
    ),
    ("methods", "measure measurement"),
    ("results", "outcome"),  # but "OUTCOME MEASURES" are methods
    (
        "methods",
        "acquisition analysis analyses animal approach area collection criteria data design evidence experiment"
        " exposure extraction intervention location material method methodology participant patient place population"
        " procedure process protocol sample search selection setting source strategy subject technique treatment",
    ),
    ("objective", "aim goal hypothesis objective purpose question scope"),
    ("background", "background context importance introduction known problem rationale"),
)
#: Other words of labels. They name no section.
_OTHER = "and clinical experimental for future general key main major of or primary principal research s secondary"
_OTHER += " statistical study the to"


def _singular(word: str) -> str:
    return word.removesuffix("s")


_BY_WORD = {_singular(word): rank for rank, (_, words) in enumerate(_SECTIONS) for word in words.split()}
_KNOWN = frozenset(_BY_WORD) | frozenset(map(_singular, _OTHER.split()))

_JOINED = r"[ ,/&()'’+–-]{1,3}"
_CAPITALS = rf"[A-Z]{{2,}}(?:{_JOINED}[A-Z]{{2,}}){{0,7}}"
_BEGIN = r"""(?:(?<=[.?!:;)\]"'”’%]\s[A-Z])|(?<![\s\S][A-Z]))"""
#: A possible label: capitals at the start of a sentence before another word ("METHODS We ..."), some words there before
#: a colon or full stop ("Materials & methods: ...", "MAIN OUTCOME MEASURE(S): ..."), or capitals anywhere before a
#: colon, since the full stop before a label may be missing. The pattern begins with a letter and looks back from it,
#: which takes 0.15 ms for an abstract. To begin with the blank before the letter takes 0.7 ms.
_LABEL = re.compile(
    rf"[A-Z](?:{_BEGIN}{_CAPITALS}(?=\s+[A-Z][a-z\s])"
    rf"|{_BEGIN}[A-Za-z]*(?:{_JOINED}[A-Za-z]+){{0,7}}(?:\([sS]\))?\s*[:.](?!\d)"
    rf"|(?<=\s[A-Z]){_CAPITALS}(?P<inside>:))"
)


def sections(abstract: str, places: Iterable[int]) -> list[Section | None]:
    """Return the section of an abstract at each place; None before the first label, and after a label of no section.

    Args:
        abstract: The abstract with its labels, without the title.
        places: Offsets in the abstract, usually the starts of its sentences.
    """
    labels = [(-1, None), *_labels(abstract)]
    starts = [start for start, _ in labels]
    return [labels[bisect_right(starts, place) - 1][1] for place in places]


def _labels(abstract: str) -> Iterator[tuple[int, Section | None]]:
    """Yield the offset of each label, and the section that it names.

    At the start of a sentence, in capitals and before a colon, one word that names a section makes a label. Otherwise
    all words must be words of labels, because "Results in rats:" is none.
    """
    for match in _LABEL.finditer(abstract):
        label = match[0].rstrip(" :.")
        words = [_singular(word) for word in re.findall(r"[a-z]+", label.lower())]
        ranks = [_BY_WORD[word] for word in words if word in _BY_WORD]
        if ranks and ((label.isupper() and match[0][-1] == ":" and not match["inside"]) or _KNOWN.issuperset(words)):
            yield match.start(), _SECTIONS[min(ranks)][0]


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
    taxa = _taxa()
    named = (each if each in taxa else each.partition(",")[0] for each in headings)  # "Mice, Inbred C57BL"
    meant = dict.fromkeys(taxa[name] for name in named if name in taxa)
    if HUMAN in meant and (design != "animal" or len(meant) == 1):
        return HUMAN
    meant.pop(HUMAN, None)
    if not meant:
        annotated = (split_key(key) for key in article.concepts)
        meant = dict.fromkeys(ident for kind, ident in annotated if kind == "Species" and ident.isdecimal())
    return max(meant, key=_mentions(article, meant).__getitem__) if len(meant) > 1 else next(iter(meant), "")


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
