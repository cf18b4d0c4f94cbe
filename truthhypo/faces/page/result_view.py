"""Arrange a judgement for its page: the text in parts, evidence by stance, names with other meanings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from markupsafe import Markup, escape

from groundwork.readable import readable
from knowhd.marks import Marks, key_of

#: Stances in the order of the page, with their headings. None: the judge gives a piece of evidence no stance.
STANCES: tuple[tuple[str | None, str], ...] = (
    ("supports", "Supports the claim"),
    ("contradicts", "Contradicts the claim"),
    ("about_both", "About both, takes no side"),
    ("about_one", "About one of the two"),
    (None, "Found, but not weighed"),
)
#: The stances that take a side.
SIDES = ("supports", "contradicts")
#: Maximum number of other meanings that are offered for a name.
_MEANINGS = 8
_Span = Sequence[int]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the judged text.

    Attributes:
        text: The text of this part.
        claims: Numbers of the claims that this part makes; empty between sentences.
        verdict: Verdict of these claims by both sources together; `mixed` if their verdicts differ, empty without
            claims.
    """

    text: str
    claims: tuple[int, ...] = ()
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The pieces of evidence on a claim that have the same stance.

    Attributes:
        stance: The stance; None if the judge gives none.
        heading: The stance as words.
        sentences: Sentences of articles.
        edges: Edges of the graph.
        chains: Chains of edges.
    """

    stance: str | None
    heading: str
    sentences: tuple[Mapping[str, Any], ...]
    edges: tuple[Mapping[str, Any], ...]
    chains: tuple[Mapping[str, Any], ...]

    @property
    def articles(self) -> tuple[tuple[int, tuple[Mapping[str, Any], ...]], ...]:
        """The articles by PMID with their sentences, in the order of their first sentences."""
        found: dict[int, tuple[Mapping[str, Any], ...]] = {}
        for sentence in self.sentences:
            found[sentence["pmid"]] = (*found.get(sentence["pmid"], ()), sentence)
        return tuple(found.items())

    @property
    def size(self) -> int:
        """The number of pieces of evidence."""
        return len(self.sentences) + len(self.edges) + len(self.chains)


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the text that may mean several concepts.

    Attributes:
        text: The name.
        key: The concept that was chosen for the name; None if no concept was certain enough.
        ambiguous: Whether the name may well mean another concept.
        others: The other candidates, best first.
    """

    text: str
    key: str | None
    ambiguous: bool
    others: tuple[Mapping[str, Any], ...]


def parts(report: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the text in parts: the sentences that make claims, and the text between them."""
    text: str = report["text"]
    by_span: dict[tuple[int, int], list[int]] = {}
    for number, claim in enumerate(report["claims"], 1):
        by_span.setdefault(tuple(claim["span"]), []).append(number)
    found: list[Part] = []
    at = 0
    for (start, end), numbers in sorted(by_span.items()):
        if start < at:  # this span is inside another one, which is already shown
            continue
        verdicts = {report["claims"][number - 1]["verdicts"]["both"] for number in numbers}
        found += [Part(text[at:start])] if start > at else []
        found.append(Part(text[start:end], tuple(numbers), verdicts.pop() if len(verdicts) == 1 else "mixed"))
        at = end
    return (*found, Part(text[at:])) if at < len(text) else tuple(found)


def groups(claim: Mapping[str, Any]) -> tuple[Group, ...]:
    """Return the evidence for a claim by stance. Stances without evidence are left out."""
    kinds = ("literature", "graph", "chains")
    held = [
        Group(stance, heading, *(tuple(_with_stance(stance, claim["evidence"].get(kind, ()))) for kind in kinds))
        for stance, heading in STANCES
    ]
    return tuple(group for group in held if group.size)


def with_marks(ground: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    """Return a groundedness report with the marks that persons have set since, each with `later` true.

    The verdicts of a kept report stay as they are; a mark that they obey is not later. As elsewhere, the mark of a
    sentence holds only for this sentence.
    """

    def shown(claim: Mapping[str, Any], piece: Mapping[str, Any]) -> dict[str, Any]:
        old, mark = piece.get("marked"), marks.get(key_of(claim["text"], piece["id"]))
        if mark is None or mark.text != piece.get("sentence", ""):
            return {**piece, "marked": old and {**old, "later": False}}
        new = {"by": mark.by, "said": mark.said, "note": mark.note}
        program = old["program"] if old else piece["stance"] if piece["stance"] in SIDES else None
        return {**piece, "marked": {**new, "program": program, "later": not old or new.items() - old.items() != set()}}

    def marked(claim: Mapping[str, Any]) -> dict[str, Any]:
        found = {kind: [shown(claim, piece) for piece in pieces] for kind, pieces in claim["evidence"].items()}
        return {**claim, "evidence": found}

    return {**ground, "claims": [marked(claim) for claim in ground["claims"]]}


def _with_stance(stance: str | None, pieces: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (piece for piece in pieces if piece["stance"] == stance)


def sentences(risk: Mapping[str, Any]) -> tuple[tuple[str, tuple[tuple[int, Mapping[str, Any]], ...]], ...]:
    """Return each sentence as it is in the text, with its claims in the risk report and the numbers of these claims."""
    text: str = risk["text"]
    plain, found = readable(text), []
    for said, claims in groupby(enumerate(risk["sentences"], 1), key=lambda each: each[1]["text"]):
        at = plain.find(said)  # offsets in `plain` and `text` are the same
        found.append((text[at : at + len(said)] if at >= 0 else said, tuple(claims)))
    return tuple(found)


def names(ground: Mapping[str, Any], risk: Mapping[str, Any]) -> tuple[Name, ...]:
    """Return each name of the text that may mean other concepts.

    First come the names in claims of the groundedness report, then subjects and objects of claims of the risk report.
    """
    found: dict[str, Name] = {}
    mentions = [mention for claim in ground["claims"] for mention in claim["mentions"]]
    for sentence in risk["sentences"]:
        if sentence["triple"]:
            mentions += [
                {**sentence[end], "text": sentence["triple"][end], "ambiguous": f"ambiguous_{end}" in sentence["flags"]}
                for end in ("subject", "object")
            ]
    for mention in mentions:
        others = tuple(each for each in mention["alternatives"] if each["key"] != mention["key"])
        if others:
            name = Name(mention["text"], mention["key"], mention["ambiguous"], others[:_MEANINGS])
            found.setdefault(mention["text"].casefold(), name)
    return tuple(found.values())


def highlighted(sentence: str, places: Mapping[str, Sequence[_Span]] | None) -> Markup:
    """Return a sentence as HTML, in which the two concepts of the claim and the deciding words are marked.

    Args:
        sentence: The sentence as text.
        places: Spans (start, end) in the sentence: `ends` for the concepts, and `words` for the deciding words. None if
            they are unknown.
    """
    held = places or {}
    ends, words = held.get("ends", ()), held.get("words", ())
    bounds = sorted({0, len(sentence), *(bound for span in (*ends, *words) for bound in span)})
    found = Markup()
    for start, end in pairwise(bounds):
        text = escape(sentence[start:end])
        if _covered(start, words):
            text = Markup('<mark class="deciding">{}</mark>').format(text)
        elif _covered(start, ends):
            text = Markup('<mark class="end">{}</mark>').format(text)
        found += text
    return found


def _covered(place: int, spans: Sequence[_Span]) -> bool:
    return any(start <= place < end for start, end in spans)
