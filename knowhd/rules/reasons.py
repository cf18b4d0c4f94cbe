"""Reasons for the verdicts of the rules, as sentences for people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from groundwork.records import split_key
from groundwork.records.shortened import counted
from knowhd.evidence.pieces import Edge, Evidence, Passage, Trail
from knowhd.judge import CONTRARY, Source, articles, pieces_of
from knowhd.rules.stances import Reading
from knowhd.rules.statement import Statement
from knowhd.wording import listed, related, say, verb

#: Maximum number of PMIDs or edges that a sentence names.
NAMED = 4
#: Relations that tell who acts, if the types of the two ends differ.
_DIRECTED = frozenset({"cause", "convert", "inhibit", "prevent", "stimulate", "treat"})
_NO_READING = Reading("about_one", 0.0)
#: Text between two missing words that belong to one phrase: "pregnant women with epilepsy".
_WITHIN = re.compile(r"[\s-]*(?:(?:an?|and|for|in|of|on|or|the|to|with)\s+)*")
#: The beginning of the words that a claim adds to a relation between two concepts, such as "in" or "after".
_ADDED = re.compile(
    r"[,;:(]|(?:after|and|at|because|before|but|by|during|for|from|if|in|of|on|only|than|through|to|via|when|with)\b"
)


class Reasons:
    """Writes the reasons for the verdicts on one claim.

    `readings` tells by id what each piece of evidence says about the statement. Pieces without a reading take no side.
    """

    def __init__(self, claim: str, statement: Statement, evidence: Evidence, readings: Mapping[str, Reading]) -> None:
        text, names = claim.strip().rstrip("."), statement.names
        first = next((name for name in names if text.startswith(name)), text.split()[0])
        small = _as_written(first, evidence.literature)
        self._claim = small + text.removeprefix(first)
        one, other = (small if name == first else name for name in names)
        self._told = {"first": one, "second": other}
        self._names = dict(zip(statement.ends, (one, other), strict=True))
        self._evidence = evidence
        self._read = {p.id: readings.get(p.id, _NO_READING) for p in pieces_of(evidence, "both")}

    def by_source(self) -> dict[Source, str]:
        """Return a reason for each source: a sentence about the graph, a sentence about the literature, or both."""
        graph, literature = f"{self._graph()}.", f"{self._literature()}."
        return {"graph": graph, "literature": literature, "both": f"{graph} {literature}"}

    def _literature(self) -> str:
        """Return the sentence about the literature, without its full stop."""
        pieces = self._evidence.literature
        sides = {stance: articles(p for p in pieces if self._read[p.id].stance == stance) for stance in CONTRARY}
        if any(sides.values()):
            twice = sides["supports"] & sides["contradicts"]
            parts = [*((str(stance), found - twice) for stance, found in sides.items()), ("both_sides", twice)]
            told = [say("literature", part, claim=self._claim, **self._articles(f)) for part, f in parts if f]
            told += [say("literature", "no_opposite")] if not sides["contradicts"] else []
            return "; ".join([*told, *([say("literature", "no_support")] if not sides["supports"] else [])])
        for stance in CONTRARY:
            if partly := [p for p in pieces if self._read[p.id].relation == stance]:
                return self._partly(partly, against=stance == "contradicts")
        both = articles(p for p in pieces if self._read[p.id].relation == "about_both")
        return say("literature", "undecided" if both else "nothing", **self._told, **self._articles(both))

    def _graph(self) -> str:
        """Return the sentence about the graph, without its full stop."""
        pieces = [p for p in pieces_of(self._evidence, "graph") if not isinstance(p, Passage)]
        sides = {stance: [p for p in pieces if self._read[p.id].stance == stance] for stance in CONTRARY}
        partly = [p for p in pieces if self._read[p.id].lacking]
        both = [p for p in pieces if self._read[p.id].relation == "about_both"]
        if any(sides.values()):
            told = [say("graph", stance, edges=self._edges(found)) for stance, found in sides.items() if found]
        elif partly:
            lacking = self._missing(self._read[partly[0].id].lacking)
            told = [say("graph", "partly", edges=self._edges(partly), lacking=listed(lacking, "or"))]
        elif both:
            told = [say("graph", "undecided", edges=self._edges(both))]
        else:
            return say("graph", "nothing", **self._told)
        return say("graph", "begin") + "; ".join(told)

    def _partly(self, pieces: Sequence[Passage], *, against: bool) -> str:
        """Return the sentence for articles that state only a part of the claim."""
        every = [self._read[p.id].lacking for p in pieces]
        common = [word for word in every[0] if all(word in lacking for lacking in every)]
        words = common or list(dict.fromkeys(word for lacking in every for word in lacking))
        lack = "lacked_by_one" if len(pieces) == 1 else "lacked_by_all" if common else "lacked_by_each"
        told = self._told | self._articles(articles(pieces)) | {"lack": say("literature", lack)}
        told["lacking"] = listed(self._missing(words), "or" if common else "and")
        part = None if against else self._before(word for lacking in every for word in lacking)
        name = "partly_against" if against else "partly" if part else "partly_for"
        return say("literature", name, **told, part=part)

    def _before(self, missing: Iterable[str]) -> str | None:
        """Return the part of the claim before the first missing word; None if it is no sentence about both ends."""
        place = min(self._place(word)[0] for word in missing)
        end = max(self._place(name)[1] for name in self._names.values())
        # Nothing is added in "reduces ifosfamide genotoxicity" and "A-induced B is rare", which have no part to quote.
        return self._claim[:end] if end <= place and _ADDED.match(self._claim[end:place].lstrip()) else None

    def _missing(self, words: Iterable[str]) -> list[str]:
        """Return words in quotation marks. Words that stand together in the claim become one phrase."""
        spans: list[tuple[int, int]] = []
        for start, end in sorted(map(self._place, words)):
            if spans and (start < spans[-1][1] or _WITHIN.fullmatch(self._claim, spans[-1][1], start)):
                start, end = spans[-1][0], max(spans.pop()[1], end)
            spans.append((start, end))
        return [f'"{self._claim[start:end]}"' for start, end in spans]

    def _place(self, word: str) -> tuple[int, int]:
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self._claim, re.I)
        return found.span() if found else (0, len(self._claim))

    def _articles(self, pmids: set[int]) -> dict[str, str]:
        """Return the number and the PMIDs of articles as texts, best article first. Retracted articles are marked."""
        ranked = {p.pmid: p.retracted for p in self._evidence.literature if p.pmid in pmids}
        shown = [f"{pmid} [retracted]" if retracted else str(pmid) for pmid, retracted in list(ranked.items())[:NAMED]]
        more = [f"and {len(ranked) - NAMED} more"] if len(ranked) > NAMED else []
        number = counted(len(ranked), "article")
        return {"articles": number, "s": "s" * (len(ranked) == 1), "pmids": f"PMID {', '.join([*shown, *more])}"}

    def _edges(self, pieces: Sequence[Edge | Trail]) -> str:
        more = [f"{len(pieces) - NAMED} more"] if len(pieces) > NAMED else []
        return listed([*map(self._edge, pieces[:NAMED]), *more], "and")

    def _edge(self, piece: Edge | Trail) -> str:
        number = counted(piece.articles, "article")
        if isinstance(piece, Trail):
            verbs = ", then ".join(f'"{verb(hop.relation)}"' for hop in piece.hops)
            edges = counted(len(piece.hops), "edge")
            return say("graph", "chain", edges=edges, verbs=verbs, articles=number, **self._told)
        alike, directed = split_key(piece.head)[0] == split_key(piece.tail)[0], piece.relation in _DIRECTED
        if alike or not directed:  # name the ends in the claim's order
            head, tail = self._names
            piece = replace(piece, head=head, tail=tail)
        name = "either" if alike and directed else "edge"
        return say("graph", name, said=related(piece, self._names), articles=number)


def _as_written(name: str, passages: Iterable[Passage]) -> str:
    """Return the name that begins a claim, with a small first letter if a sentence of an article writes it so."""
    small = re.compile(rf"(?<!\w){re.escape(name[:1].lower() + name[1:])}(?!\w)")
    return name[:1].lower() + name[1:] if any(small.search(each.sentence) for each in passages) else name
