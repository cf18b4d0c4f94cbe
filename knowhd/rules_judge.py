"""The judge by rules, with its reasons as sentences for people. It is deterministic and uses no language model.

The same encoder (`groundwork.reading.encoder`) reads a claim and each sentence that names both ends of the claim. The
two relations agree, are opposite, or are unrelated. A piece takes a side only if it also contains the other content
words of the claim. The types of the two ends only matter for the question which end acts. A claim without a
readable relation is not judged: its verdict is `failed`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from groundwork.ports import Progress, Silent, watched
from groundwork.reading.encoder import Encoder, shipped
from groundwork.records import split_key
from groundwork.records.base import counted
from knowhd.claims import Claim
from knowhd.judge import CONTRARY, SOURCES, Case, Judgement, Source, articles, failed, pieces_of, weigh
from knowhd.pieces import OWN_TEXT, Edge, Evidence, Passage, Piece, Trail, ends, listed, say
from knowhd.stances import Reading, of_link, of_passages, tells_who_acts
from knowhd.statement import Statement, statement_of

#: Maximum number of PMIDs or edges that a sentence names.
NAMED = 4
#: Relations that tell who acts, if the types of the two ends differ.
_DIRECTED = frozenset({"cause", "convert", "inhibit", "prevent", "stimulate", "treat"})
_NO_READING = Reading("about_one", 0.0)
#: Text between two missing words that belong to one phrase: "pregnant women with epilepsy".
_WITHIN = re.compile(r"[\s-]*(?:(?:an?|and|for|in|of|on|or|the|to|with)\s+)*")


class Reasons:
    """Writes the reasons for the verdicts on one claim.

    `readings` tells by id what each piece of evidence says about the statement. Pieces without a reading take no side.
    """

    def __init__(self, claim: str, statement: Statement, evidence: Evidence, readings: Mapping[str, Reading]) -> None:
        names = [mention.text for mention in statement.mentions]
        self._claim = claim
        self._told = {place: f'"{name}"' for place, name in zip(("first", "second"), names, strict=True)}
        self._names = dict(zip(statement.ends, names, strict=True))
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
            denying = articles(
                p for p in pieces if self._read[p.id].stance == "contradicts" and self._read[p.id].denied
            )
            denying &= sides["contradicts"] - twice
            alone = {"supports": sides["supports"] - twice, "contradicts": sides["contradicts"] - twice - denying}
            parts = [*alone.items(), ("denies", denying), ("both_sides", twice)]
            told = [say("literature", part, **self._articles(f)) for part, f in parts if f]
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
            told = [say("graph", "nothing", **self._told)]
        return say("graph", "begin") + say("graph", "join").join(told)

    def _partly(self, pieces: Sequence[Passage], *, against: bool) -> str:
        """Return the sentence for articles that state only a part of the claim."""
        every = [self._read[p.id].lacking for p in pieces]
        common = [word for word in every[0] if all(word in lacking for lacking in every)]
        words = common or list(dict.fromkeys(word for lacking in every for word in lacking))
        lack = "lacked_by_one" if len(pieces) == 1 else "lacked_by_all" if common else "lacked_by_each"
        told = self._told | self._articles(articles(pieces)) | {"lack": say("literature", lack)}
        told["lacking"] = listed(self._missing(words), "or" if common else "and")
        return say("literature", "partly_against" if against else "partly", **told)

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
        named = "the given text" if OWN_TEXT in ranked else f"PMID {', '.join([*shown, *more])}"
        return {"articles": number, "s": "s" * (len(ranked) == 1), "pmids": named}

    def _edges(self, pieces: Sequence[Edge | Trail]) -> str:
        more = [f"{len(pieces) - NAMED} more"] if len(pieces) > NAMED else []
        return listed([*map(self._edge, pieces[:NAMED]), *more], "and")

    def _edge(self, piece: Edge | Trail) -> str:
        number = counted(piece.articles, "article")
        if isinstance(piece, Trail):
            relations = ", then ".join(f'"{hop.relation}"' for hop in piece.hops)
            edges = counted(len(piece.hops), "edge")
            return say("graph", "chain", edges=edges, relations=relations, articles=number, **self._told)
        alike, directed = split_key(piece.head)[0] == split_key(piece.tail)[0], piece.relation in _DIRECTED
        # An edge that does not show who acts is written in the claim's order.
        head, tail = map(self._names.get, ends(piece)) if directed and not alike else self._names.values()
        name = "either" if alike and directed else "edge"
        return say("graph", name, head=head, relation=piece.relation, tail=tail, articles=number)


NAME = "rules (deterministic, not a language model)"


class RuleJudge:
    """Judges claims by the relations that edges and sentences state.

    Args:
        reader: Reader of relations; by default with the weights of this package.
    """

    def __init__(self, reader: Encoder | None = None) -> None:
        self._reader = reader or shipped()
        # Figures of accuracy are kept by name, and those of the shipped weights do not hold for other weights.
        other = "" if self.weights == shipped().sha256 else f" with weights {self.weights[:12]}"
        self.name = NAME.replace("rules", f"rules{other}", 1)

    @property
    def weights(self) -> str:
        """Return the SHA-256 of the reader's weights."""
        return self._reader.sha256

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case, as `Judge` defines."""
        return [self.judge(*case) for case in watched(cases, progress or Silent(), "judging", "claims")]

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """Return one judgement per source on one claim."""
        statement = statement_of(claim, self._reader)
        if statement is None:
            return dict.fromkeys(SOURCES, replace(failed(say("rules", "unread")), flags=("unread",)))
        readings = of_passages(evidence.literature, statement, self._reader)
        readings |= {link.id: read for link in evidence.graph + evidence.chains if (read := of_link(link, statement))}
        why = Reasons(claim.text, statement, evidence, readings).by_source()
        return {source: _judged(statement, pieces_of(evidence, source), readings, why[source]) for source in SOURCES}


def _judged(statement: Statement, pieces: Sequence[Piece], readings: Mapping[str, Reading], why: str) -> Judgement:
    own = {piece.id: readings[piece.id] for piece in pieces if piece.id in readings}
    deciding = {key: reading.stance for key, reading in own.items() if reading.stance}
    found = weigh(pieces, deciding, why)
    edges = [piece for piece in pieces if isinstance(piece, Edge) and piece.id in deciding]
    raised = {
        "partly": not deciding and any(reading.lacking for reading in own.values()),
        "negated": statement.negated,
        "hedged": statement.hedged,
        "undirected": bool(edges) and len(edges) == len(deciding) and not tells_who_acts(edges, statement),
    }
    probabilities = {key: reading.bearing for key, reading in own.items()}
    flags = tuple(flag for flag, up in raised.items() if up)
    unrelated = tuple(piece.id for piece in pieces if piece.id not in own)
    denied = frozenset(key for key in deciding if own[key].denied)
    return replace(found, flags=flags, probabilities=probabilities, unrelated=unrelated, denied=denied)
