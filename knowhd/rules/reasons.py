"""Reasons for verdicts, as sentences for people. The wording is in reasons.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

from knowhd.evidence.pieces import Edge, Passage, Piece, Trail
from knowhd.judge import Source, Stance
from knowhd.rules.stances import Reading
from knowhd.rules.statement import Statement

#: Maximum number of PMIDs, edges or words that a sentence names.
NAMED = 4


@lru_cache(maxsize=1)
def _templates() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("knowhd.rules").joinpath("reasons.toml").read_text("utf-8"))


def unread() -> str:
    """Return the reason for a claim in which no relation can be read."""
    return f"{_templates()['unread']['claim']}."


def reason(
    claim: str, statement: Statement, pieces: Sequence[Piece], readings: Mapping[str, Reading], source: Source
) -> str:
    """Return a sentence for the graph and one for the literature that explain the verdict.

    Args:
        claim: Text of the claim.
        statement: What the claim states.
        pieces: All evidence that was found.
        readings: What the pieces say about the statement, by id. A piece without a reading takes no side.
        source: The sources to explain.
    """
    articles = [piece for piece in pieces if isinstance(piece, Passage)]
    links = [piece for piece in pieces if not isinstance(piece, Passage)]
    told = {"claim": _inside(claim), "first": statement.names[0], "second": statement.names[1]}
    sentences = []
    if source != "literature":
        sentences.append(f"{_of_graph(links, readings, told)}.")
    if source != "graph":
        sentences.append(f"{_of_literature(articles, readings, told)}.")
    return " ".join(sentences)


def _of_literature(pieces: Sequence[Passage], readings: Mapping[str, Reading], told: Mapping[str, str]) -> str:
    words = _templates()["literature"]
    sided = {stance: [p for p in pieces if _decides(readings.get(p.id), stance)] for stance in _STANCES}
    if any(sided.values()):
        parts = [words[stance].format(**told, **_counted(found)) for stance, found in sided.items() if found]
        return "; ".join([*parts, *([] if sided["contradicts"] else [words["no_opposite"]])])
    for stance, name in (("supports", "partly"), ("contradicts", "partly_against")):
        found = [p for p in pieces if (read := readings.get(p.id)) and read.relation == stance]
        if found:
            lacking = {word: None for p in found for word in readings[p.id].lacking}
            return words[name].format(
                **told, **_counted(found), lacking=_listed([word.rstrip(".") for word in lacking], "or")
            )
    both = _about_both(pieces, readings)
    return words["undecided" if both else "nothing"].format(**told, **_counted(both))


def _of_graph(pieces: Sequence[Edge | Trail], readings: Mapping[str, Reading], told: Mapping[str, str]) -> str:
    words = _templates()["graph"]
    sided = {stance: [p for p in pieces if _decides(readings.get(p.id), stance)] for stance in _STANCES}
    if any(sided.values()):
        parts = [words[stance].format(**told, **_links(found)) for stance, found in sided.items() if found]
        return "; ".join([parts[0], *(part[:1].lower() + part[1:] for part in parts[1:])])
    partly = [p for p in pieces if (read := readings.get(p.id)) and read.lacking]
    if partly:
        lacking = readings[partly[0].id].lacking
        return words["partly"].format(
            **told, **_links(partly), lacking=_listed([word.rstrip(".") for word in lacking], "or")
        )
    both = _about_both(pieces, readings)
    return words["undecided"].format(**told, **_links(both)) if both else words["nothing"].format(**told)


_STANCES: tuple[Stance, ...] = ("supports", "contradicts")
_Piece = TypeVar("_Piece", bound=Piece)


def _about_both(pieces: Sequence[_Piece], readings: Mapping[str, Reading]) -> list[_Piece]:
    """Return the pieces that name both ends and take no side."""
    return [p for p in pieces if (read := readings.get(p.id)) is not None and read.relation == "about_both"]


def _decides(reading: Reading | None, stance: Stance) -> bool:
    return reading is not None and reading.stance == stance


def _counted(pieces: Sequence[Passage]) -> dict[str, str]:
    """Return the words for a number of articles, with matching verbs and PMIDs; retracted articles are marked."""
    pmids = {piece.pmid: piece.retracted for piece in pieces}
    shown = [f"{pmid}, retracted" if withdrawn else str(pmid) for pmid, withdrawn in list(pmids.items())[:NAMED]]
    more = [f"and {len(pmids) - NAMED} more"] if len(pmids) > NAMED else []
    one = len(pmids) == 1
    return {
        "articles": f"{len(pmids)} article{'' if one else 's'}",
        "report": "reports" if one else "report",
        "name": "names" if one else "name",
        "pmids": f"PMID {', '.join([*shown, *more])}",
    }


def _links(pieces: Sequence[Edge | Trail]) -> dict[str, str]:
    """Return the words for edges and chains, with matching verbs."""
    shown = [_link(piece) for piece in pieces[:NAMED]]
    more = [f"{len(pieces) - NAMED} more"] if len(pieces) > NAMED else []
    one = len(pieces) == 1
    return {
        "edges": _listed([*shown, *more], "and"),
        "agree": "agrees" if one else "agree",
        "disagree": "disagrees" if one else "disagree",
    }


def _link(piece: Edge | Trail) -> str:
    articles = f"{piece.articles} article{'' if piece.articles == 1 else 's'}"
    if isinstance(piece, Edge):
        return f"{piece.relation} ({articles})"
    return f"the chain {', '.join(hop.relation for hop in piece.hops)} ({articles} for its weakest edge)"


def _listed(words: Sequence[str], joint: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def _inside(claim: str) -> str:
    """Return a claim for use inside a sentence: without full stop, and with a small first letter if the word allows."""
    words = claim.strip().rstrip(".")
    ordinary = words[:1].isupper() and words[1:2].islower() and words.split()[0].lower() in _OPENERS
    return words[:1].lower() + words[1:] if ordinary else words


#: Words that have a capital letter only at the start of a sentence. Names keep their capitals.
_OPENERS = frozenset({"a", "an", "the", "high", "low", "treatment", "loss", "there", "patients", "no"})
