"""Gather the evidence on a claim from graph and literature (paper A, equations 1 and 2)."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, prod

from groundwork.chance import belief
from groundwork.digits import twelve
from groundwork.errors import InputError
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Chain, Hop
from knowhd.claims.claims import Claim, meanings
from knowhd.evidence.articles import Articles
from knowhd.evidence.pieces import Edge, Evidence, Kind, Passage, Trail, edge_of, trail_of
from knowhd.evidence.query import query

#: Function from the number of articles of an edge to the belief in the edge, in [0, 1].
Belief = Callable[[int], float]
#: More PMIDs than any edge has (the largest known edge has 27,255), so that all articles of an edge are counted.
EVERY = 1_000_000
#: Maximum sentences per article: for a judge that pays for tokens, and for a judge that does not.
SENTENCES, SENTENCES_FREELY = 2, 6
#: Maximum number of a claim's concepts between which chains are searched; the first ones are used.
ENDS = 16
#: Maximum number of chains between two concepts. Others are only counted.
CHAINS = 16


@dataclass(frozen=True, slots=True)
class Scope:
    """Which evidence counts.

    Attributes:
        before: Use only PMIDs up to this one, in graph and literature.
        k: Maximum number of articles per claim.
        tau: Minimum BM25 score of an article.
        exclude_retracted: Ignore articles that the literature store knows as retracted, also as support of edges.
        hops: Maximum length of a chain between two concepts of the claim, 1 to 4; 1 uses only edges.

    Raises:
        InputError: tau is not a finite number, or hops is outside 1 to 4.
    """

    before: int | None = None
    k: int = 8
    tau: float | None = None
    exclude_retracted: bool = False
    hops: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.hops <= 4:
            raise InputError(f"hops = {self.hops}", "1 (only edges) to 4", "give 1, 2, 3 or 4 for hops (--hops)")
        if self.tau is not None and not isfinite(self.tau):
            raise InputError(
                f"tau = {self.tau}", "a finite BM25 score", "give a finite number for tau (--tau), or omit it"
            )


class Gatherer:
    """Gathers the evidence on claims. Edges and articles that several claims need are fetched once.

    Args:
        graph: Store of the edges.
        literature: Store of the articles.
        articles: Reader of articles of this literature; None makes a new one.
        belief: Function that returns the belief of an edge from its number of articles, as the graph computes it.
        sentences: Maximum number of sentences per article.
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
        self._hops: dict[tuple[tuple[str, ...], int | None], Sequence[Hop]] = {}
        self._joined: dict[tuple[tuple[str, ...], int | None, bool], tuple[Edge, ...]] = {}

    def gather(self, claim: Claim, scope: Scope) -> Evidence:
        """Return the evidence on a claim under the scope."""
        edges = self.edges(claim, scope)
        chains, total = self.chains(claim, scope) if scope.hops > 1 else ((), 0)
        left_out: dict[Kind, int] = {"graph": 0, "literature": 0, "chains": total - len(chains)}
        return Evidence(edges, self.passages(claim, scope), chains, left_out)

    def earlier(self, claim: Claim, scope: Scope, later: Evidence | None) -> Evidence:
        """Return the evidence on a claim under a scope, as `gather` does.

        `scope.hops` must be 1, so that no chains are searched. `later` is the evidence under the same scope with a
        later PMID cut; None if it is unknown or incomplete. If no sentence of `later` has a PMID above `scope.before`,
        the sentences are reused, because a PMID cut does not change scores.
        """
        cut = scope.before
        if later is None or cut is None or any(passage.pmid > cut for passage in later.literature):
            return self.gather(claim, scope)
        return replace(later, graph=self.edges(claim, scope))

    def edges(self, claim: Claim, scope: Scope) -> tuple[Edge, ...]:
        """Return all relation edges with both ends among the claim's concepts (equation 2), highest belief first."""
        if len(claim.concepts) < 2:
            return ()
        asked = tuple(sorted(claim.concepts)), scope.before, scope.exclude_retracted
        if asked not in self._joined:
            hops = self._relations(claim, scope)
            found, withdrawn = self._standing([Chain(hop.belief, (hop,)) for hop in hops], scope)
            self._joined[asked] = tuple(edge_of(chain.hops[0], withdrawn) for chain in found)
        return self._joined[asked]

    def _relations(self, claim: Claim, scope: Scope) -> Sequence[Hop]:
        asked = tuple(sorted(claim.concepts)), scope.before
        if asked not in self._hops:
            self._hops[asked] = self._graph.edges(claim.concepts, before=scope.before, pmids=EVERY)
        return self._hops[asked]

    def chains(self, claim: Claim, scope: Scope) -> tuple[tuple[Trail, ...], int]:
        """Return chains of 2 to `scope.hops` edges between any two of the claim's first `ENDS` concepts.

        Return the best chains, best first, and the number of all chains. If the scope drops some of the best chains
        (see `standing`), these chains are not counted. Single edges are neither returned nor counted, whether the scope
        drops them or not.
        """
        if len(claim.concepts) < 2:
            return (), 0
        singles = Counter(frozenset((hop.head, hop.tail)) for hop in self._relations(claim, scope))
        found: list[Chain] = []
        total = 0
        for head, tail in combinations(claim.concepts[:ENDS], 2):
            single = singles[frozenset((head, tail))]
            most = CHAINS + single
            chains = self._graph.chains(head, tail, hops=scope.hops, before=scope.before, limit=most, pmids=EVERY)
            found += [chain for chain in chains.chains if len(chain.hops) > 1][:CHAINS]
            total += chains.total - single
        found.sort(key=lambda chain: -chain.score)
        left, withdrawn = self._standing(found, scope)
        return tuple(trail_of(chain, withdrawn) for chain in left), total - (len(found) - len(left))

    def passages(self, claim: Claim, scope: Scope) -> tuple[Passage, ...]:
        """Return the most relevant sentences from the best k articles by BM25 (equation 1), best article first."""
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
        wanted = _words_of(claim.text)
        return tuple(
            replace(passage, score=hit.score, retracted=hit.retracted)
            for hit, sentences in zip(hits, read, strict=True)
            for passage in _best(sentences, claim, wanted, self._sentences)
        )

    def _standing(self, chains: Sequence[Chain], scope: Scope) -> tuple[Sequence[Chain], set[int]]:
        """Return the chains that count under the scope, and the PMIDs in these chains that are known as retracted."""
        withdrawn = self._literature.retracted({pmid for chain in chains for hop in chain.hops for pmid in hop.pmids})
        if not scope.exclude_retracted:
            return chains, withdrawn
        return standing(chains, withdrawn, self._belief), set()


def _words_of(text: str) -> frozenset[str]:
    """Return the content words of a text: three letters or more, in lower case."""
    return frozenset(re.findall(r"[^\W_]{3,}", text.lower()))


def _best(passages: Iterable[Passage], claim: Claim, wanted: frozenset[str], most: int) -> list[Passage]:
    """Return the sentences of one article that are most relevant for a claim, in the order of the article.

    Sentences that name more of the claim's concepts come first, then those that share more words with the claim, then
    later sentences, because abstracts end with their conclusion. Sentences after the first are taken only if they name
    as many of the claim's concepts as the first sentence, and if this number is at least two.
    """
    meant = {meanings(mention) for mention in claim.mentions if mention.key}

    def bearing(passage: Passage) -> tuple[int, int, int]:
        ends = sum(any(keys & mention.candidates for mention in passage.mentions) for keys in meant)
        return ends, len(wanted & _words_of(passage.sentence)), passage.number

    ranked = sorted(passages, key=bearing, reverse=True)
    named = bearing(ranked[0])[0] if ranked else 0
    kept = [p for p in ranked[:most] if p is ranked[0] or (named > 1 and bearing(p)[0] == named)]
    return sorted(kept, key=lambda passage: passage.number)


def standing(chains: Iterable[Chain], withdrawn: Collection[int], belief: Belief) -> list[Chain]:
    """Return chains without the retracted articles `withdrawn`, best first. Each given hop must list all its PMIDs.

    A chain is dropped if one of its edges has no other article. The score of a chain is the product of the beliefs that
    its edges have without these articles (12 significant digits).
    """
    left = (tuple(_without(hop, withdrawn, belief) for hop in chain.hops) for chain in chains)
    kept = [Chain(twelve(prod(hop.belief for hop in hops)), hops) for hops in left if all(hop.pmids for hop in hops)]
    return sorted(kept, key=lambda chain: -chain.score)


def _without(hop: Hop, withdrawn: Collection[int], belief: Belief) -> Hop:
    pmids = tuple(pmid for pmid in hop.pmids if pmid not in withdrawn)
    if len(pmids) == len(hop.pmids):
        return hop
    return replace(hop, articles=len(pmids), pmids=pmids, belief=belief(len(pmids)))
