"""What graph and literature hold on a claim (paper A, equations 1 and 2)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite

from groundwork.chance import belief
from groundwork.errors import InputError
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Chain
from knowhd.claims.claims import Claim
from knowhd.evidence.articles import Articles
from knowhd.evidence.pieces import Edge, Evidence, Kind, Passage, Piece, Trail, edge_of, trail_of
from knowhd.evidence.query import query
from knowhd.evidence.retraction import Belief, standing

__all__ = ["EVERY", "SENTENCES", "Edge", "Evidence", "Gatherer", "Passage", "Piece", "Scope", "Trail", "words_of"]

#: More PMIDs than any edge has (the largest known has 27,255): evidence is weighed by all its articles.
EVERY = 1_000_000
#: Sentences taken from one article at most, for a judge to which each costs tokens and for one that reads them freely.
SENTENCES, SENTENCES_FREELY = 2, 6
#: Concepts of a claim between which chains are looked for at most, the first ones.
ENDS = 16
#: Chains taken between two concepts at most; the others are counted.
CHAINS = 16


@dataclass(frozen=True, slots=True)
class Scope:
    """Which evidence counts.

    Attributes:
        before: Only PMIDs up to it, in graph and literature.
        k: Articles per claim at most.
        tau: BM25 score an article must reach.
        exclude_retracted: Leave out articles that the literature knows as retracted, under edges as well.
        hops: Longest chain between two concepts of the claim, 1 to 4; 1 takes edges alone.

    Raises:
        InputError: A tau that is no finite number, or hops outside 1 to 4.
    """

    before: int | None = None
    k: int = 8
    tau: float | None = None
    exclude_retracted: bool = False
    hops: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.hops <= 4:
            raise InputError(f"hops = {self.hops}", "1 (edges alone) to 4", "give --hops 1, 2, 3 or 4")
        if self.tau is not None and not isfinite(self.tau):
            raise InputError(f"tau = {self.tau}", "a finite BM25 score", "give another number for --tau, or none")


class Gatherer:
    """Gathers the evidence on claims; what serves several of them is asked for once.

    Args:
        graph: Where edges come from.
        literature: Where articles come from.
        articles: Reads articles of that literature; None: a reader of its own.
        belief: That of an edge in so many articles, as the graph counts it.
        sentences: Taken from one article at most.
    """

    def __init__(
        self,
        graph: GraphReader,
        literature: LiteratureReader,
        articles: Articles | None = None,
        belief: Belief = belief,
        sentences: int = SENTENCES,
    ) -> None:
        self._graph = graph
        self._belief = belief
        self._literature = literature
        self._articles = articles or Articles(graph, literature)
        self._sentences = sentences
        self._joined: dict[tuple[tuple[str, ...], int | None, bool], tuple[Edge, ...]] = {}

    def gather(self, claim: Claim, scope: Scope) -> Evidence:
        """The evidence on a claim under the scope."""
        edges = self.edges(claim, scope)
        chains, total = self.chains(claim, scope, edges) if scope.hops > 1 else ((), 0)
        left_out: dict[Kind, int] = {"graph": 0, "literature": 0, "chains": total - len(chains)}
        return Evidence(edges, self.passages(claim, scope), chains, left_out)

    def edges(self, claim: Claim, scope: Scope) -> tuple[Edge, ...]:
        """All relation edges with both ends among the claim's concepts (equation 2), the most believed first."""
        if len(claim.concepts) < 2:
            return ()
        asked = tuple(sorted(claim.concepts)), scope.before, scope.exclude_retracted
        if asked not in self._joined:
            hops = self._graph.edges(claim.concepts, before=scope.before, pmids=EVERY)
            found, withdrawn = self._standing([Chain(hop.belief, (hop,)) for hop in hops], scope)
            self._joined[asked] = tuple(edge_of(chain.hops[0], withdrawn) for chain in found)
        return self._joined[asked]

    def chains(self, claim: Claim, scope: Scope, edges: Iterable[Edge]) -> tuple[tuple[Trail, ...], int]:
        """Chains of two to `scope.hops` edges between any two of the claim's concepts, of the first `ENDS` of them.

        Args:
            claim: The claim.
            scope: Which evidence counts.
            edges: Those of the claim: chains of one edge, which are left out here.

        Returns:
            The best of each pair, best first, and how many there are in all, those apart that were seen not to count.
        """
        singles = Counter(frozenset((edge.head, edge.tail)) for edge in edges)
        found: list[Chain] = []
        total = 0
        for head, tail in combinations(claim.concepts[:ENDS], 2):
            single = singles[frozenset((head, tail))]
            chains = self._graph.chains(
                head, tail, hops=scope.hops, before=scope.before, limit=CHAINS + single, pmids=EVERY
            )
            found += [chain for chain in chains.chains if len(chain.hops) > 1][:CHAINS]
            total += chains.total - single
        found.sort(key=lambda chain: -chain.score)
        left, withdrawn = self._standing(found, scope)
        return tuple(trail_of(chain, withdrawn) for chain in left), total - (len(found) - len(left))

    def passages(self, claim: Claim, scope: Scope) -> tuple[Passage, ...]:
        """The sentences that bear most on the claim, from the best k articles by BM25 (equation 1), best first."""
        asked = query(claim, self._graph.concepts(claim.concepts))
        hits = self._literature.search(
            asked.text,
            names=asked.names,
            k=scope.k,
            before=scope.before,
            min_score=scope.tau,
            exclude_retracted=scope.exclude_retracted,
        ).hits
        read = self._articles.read([hit.pmid for hit in hits])
        wanted = words_of(claim.text)
        return tuple(
            replace(passage, score=hit.score, retracted=hit.retracted)
            for hit, sentences in zip(hits, read, strict=True)
            for passage in _best(sentences, claim, wanted, self._sentences)
        )

    def _standing(self, chains: Sequence[Chain], scope: Scope) -> tuple[Sequence[Chain], set[int]]:
        """The chains that count under the scope, and those of their PMIDs that are known as retracted."""
        withdrawn = self._literature.retracted({pmid for chain in chains for hop in chain.hops for pmid in hop.pmids})
        if not scope.exclude_retracted:
            return chains, withdrawn
        return standing(chains, withdrawn, self._belief), set()


def words_of(text: str) -> frozenset[str]:
    """The words of a text that carry meaning: three letters or more, lower case."""
    return frozenset(re.findall(r"[^\W_]{3,}", text.lower()))


def _best(passages: Iterable[Passage], claim: Claim, wanted: frozenset[str], most: int) -> list[Passage]:
    """The sentences of one article that bear most on a claim, in order of the article.

    Those that name most of the claim's concepts come first, then those that share most words with it, then the later
    ones, where abstracts conclude. A further sentence is taken only if it names as many concepts as the first.
    """

    def bearing(passage: Passage) -> tuple[int, int, int]:
        named = {key for m in passage.mentions for key in (m.key, *(match.key for match in m.alternatives))}
        return len(named & set(claim.concepts)), len(wanted & words_of(passage.sentence)), passage.number

    ranked = sorted(passages, key=bearing, reverse=True)
    named = bearing(ranked[0])[0] if ranked else 0
    kept = [p for p in ranked[:most] if p is ranked[0] or (named > 1 and bearing(p)[0] == named)]
    return sorted(kept, key=lambda passage: passage.number)
