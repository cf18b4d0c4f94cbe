"""Find the sections of a structured abstract by its labels ("METHODS: ...", "Results: ...")."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal

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
