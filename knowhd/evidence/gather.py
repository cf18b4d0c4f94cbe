"""Gather the evidence on a claim from graph and literature (paper A, equations 1 and 2)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Chain, Hit, Hop, Naming
from knowhd.claims.claims import Claim, meanings
from knowhd.evidence.articles import Articles, Sentences
from knowhd.evidence.pieces import Edge, Evidence, Kind, Passage, Trail, edge_of, trail_of
from knowhd.evidence.query import Query, contrary_text, query
from knowhd.options import Scope

#: More PMIDs than any edge has (the largest known edge has 27,255), so that all articles of an edge are counted.
EVERY = 1_000_000
#: Maximum sentences per article: for a judge that pays for tokens, and for a judge that does not.
SENTENCES, SENTENCES_FREELY = 2, 6
#: Maximum number of hits of a search (`LiteratureReader.search`).
MOST_HITS = 10_000
#: Maximum number of a claim's concepts between which chains are searched; the first ones are used.
ENDS = 16
#: Maximum number of chains between two concepts. Others are only counted.
CHAINS = 16


class Gatherer:
    """Gathers the evidence on claims. Edges and articles that several claims need are fetched once.

    Args:
        graph: Store of the edges.
        literature: Store of the articles.
        articles: Reader of articles of this literature; None makes a new one.
        sentences: Maximum number of sentences per article.
    """

    def __init__(
        self,
        graph: GraphReader,
        literature: LiteratureReader,
        articles: Articles | None = None,
        sentences: int = SENTENCES,
    ) -> None:
        self._graph = graph
        self._literature = literature
        self._articles = articles or Articles(graph, literature)
        self._sentences = sentences
        self._hops: dict[tuple[tuple[str, ...], int | None, bool], Sequence[Hop]] = {}
        self._joined: dict[tuple[tuple[str, ...], int | None, bool], tuple[Edge, ...]] = {}

    def gather(self, claim: Claim, scope: Scope) -> Evidence:
        """Return the evidence on a claim under the scope."""
        edges = self.edges(claim, scope)
        chains, total = self.chains(claim, scope) if scope.hops > 1 else ((), 0)
        left_out: dict[Kind, int] = {"graph": 0, "literature": 0, "chains": total - len(chains)}
        asked = query(claim, self._graph.concepts(claim.concepts))
        found = self._found(asked, scope)
        naming, read = None, frozenset[int]()
        if len(claim.concepts) > 1 and scope.tau is None:
            known = {hit.pmid for hit, _ in found}
            named = self._naming(asked, contrary_text(claim), known, scope)
            found += self._with_sentences(named.hits)
            naming, read = named.total, named.among | {hit.pmid for hit in named.hits}
        newest = max((hit.pmid for hit, _ in found), default=0)
        return Evidence(edges, _passages(found, claim, self._sentences), chains, left_out, newest, naming, read)

    def earlier(self, claim: Claim, scope: Scope, later: Evidence | None) -> Evidence:
        """Return the evidence on a claim under a scope, as `gather` does.

        `scope.hops` must be 1, so that no chains are searched. `later` is the evidence under the same scope with a
        later PMID cut; None if it is unknown or incomplete. If no article retrieved for `later` has a PMID above
        `scope.before`, the sentences are reused, because a PMID cut does not change scores. The articles that name all
        concepts are counted again, unless all of them were retrieved.
        """
        cut = scope.before
        if later is None or cut is None or later.newest > cut or later.naming != (later.naming and len(later.read)):
            return self.gather(claim, scope)
        return replace(later, graph=self.edges(claim, scope))

    def edges(self, claim: Claim, scope: Scope) -> tuple[Edge, ...]:
        """Return all relation edges with both ends among the claim's concepts (equation 2), highest belief first."""
        if len(claim.concepts) < 2:
            return ()
        asked = tuple(sorted(claim.concepts)), scope.before, scope.exclude_retracted
        if asked not in self._joined:
            hops = self._relations(claim, scope)
            withdrawn = self._retracted(hops)
            self._joined[asked] = tuple(edge_of(hop, withdrawn) for hop in hops)
        return self._joined[asked]

    def _relations(self, claim: Claim, scope: Scope) -> Sequence[Hop]:
        asked = tuple(sorted(claim.concepts)), scope.before, scope.exclude_retracted
        if asked not in self._hops:
            without = self._literature.uncounted(exclude_retracted=scope.exclude_retracted)
            self._hops[asked] = self._graph.edges(claim.concepts, before=scope.before, pmids=EVERY, without=without)
        return self._hops[asked]

    def chains(self, claim: Claim, scope: Scope) -> tuple[tuple[Trail, ...], int]:
        """Return chains of 2 to `scope.hops` edges between any two of the claim's first `ENDS` concepts.

        Return the best chains, best first, and the number of all chains. Single edges are neither returned nor counted.
        """
        if len(claim.concepts) < 2:
            return (), 0
        singles = Counter(frozenset((hop.head, hop.tail)) for hop in self._relations(claim, scope))
        found: list[Chain] = []
        total = 0
        without = self._literature.uncounted(exclude_retracted=scope.exclude_retracted)
        asked: dict[str, Any] = {"hops": scope.hops, "before": scope.before, "pmids": EVERY, "without": without}
        for head, tail in combinations(claim.concepts[:ENDS], 2):
            single = singles[frozenset((head, tail))]
            chains = self._graph.chains(head, tail, limit=CHAINS + single, **asked)
            found += [chain for chain in chains.chains if len(chain.hops) > 1][:CHAINS]
            total += chains.total - single
        found.sort(key=lambda chain: -chain.score)
        withdrawn = self._retracted(hop for chain in found for hop in chain.hops)
        return tuple(trail_of(chain, withdrawn) for chain in found), total

    def _found(self, asked: Query, scope: Scope) -> list[tuple[Hit, Sentences]]:
        """Return the best k articles by BM25 (equation 1), best article first, each with its sentences.

        Hits without sentences, such as notices, take no place among the k: the search is repeated with a larger k.
        """
        k = scope.k
        while True:
            hits = self._literature.search(
                asked.text,
                names=asked.names,
                k=k,
                min_score=scope.tau,
                **_limits(scope),
            ).hits
            found = self._with_sentences(hits)
            if len(found) >= scope.k or len(hits) < k or k == MOST_HITS:
                return found[: scope.k]
            k = min(2 * k, MOST_HITS)

    def _naming(self, asked: Query, contrary: str, known: set[int], scope: Scope) -> Naming:
        """Return the articles that name all concepts of a claim, and the best k of those that are not known yet.

        The best ones are those with most words of denial or of the opposite (`contrary_text`), so that the only trial
        without an effect is found, however many articles state the claim.
        """
        return self._literature.naming(asked.names, contrary, k=scope.k, among=known, **_limits(scope))

    def _with_sentences(self, hits: Sequence[Hit]) -> list[tuple[Hit, Sentences]]:
        read = self._articles.read([hit.pmid for hit in hits])
        return [(hit, sentences) for hit, sentences in zip(hits, read, strict=True) if sentences]

    def _retracted(self, hops: Iterable[Hop]) -> set[int]:
        """Return the PMIDs of the hops that the literature store knows as retracted."""
        return self._literature.retracted({pmid for hop in hops for pmid in hop.pmids})


def _limits(scope: Scope) -> dict[str, Any]:
    """Return the arguments of a search that say which articles count."""
    names = ("before", "exclude_retracted", "design", "organism")
    return {name: getattr(scope, name) for name in names}


def _passages(found: Iterable[tuple[Hit, Sentences]], claim: Claim, most: int) -> tuple[Passage, ...]:
    """Return the most relevant sentences of articles, at most `most` of each, in the order of the articles."""
    wanted = _words_of(claim.text)
    return tuple(
        replace(passage, score=hit.score, retracted=hit.retracted)
        for hit, sentences in found
        for passage in _best(sentences, claim, wanted, most)
    )


def _words_of(text: str) -> frozenset[str]:
    """Return the content words of a text: three letters or more, in lower case."""
    return frozenset(re.findall(r"[^\W_]{3,}", text.lower()))


def _best(passages: Sentences, claim: Claim, wanted: frozenset[str], most: int) -> list[Passage]:
    """Return the sentences of one article that are most relevant for a claim, in the order of the article.

    Sentences that name more of the claim's concepts, as linked or in the words of the claim, come first, then those
    that share more words with the claim, then later sentences, because abstracts end with their conclusion. Sentences
    after the first are taken only if they name as many of the claim's concepts as the first sentence, and if this
    number is at least two.

    No sentence is taken if the claim names at least two concepts and the article names none of them. An end of a claim
    with fewer concepts is a phrase, which is known only after a judge has read the claim (`Judgement.unrelated`). So
    for such a claim the first sentence is always taken.
    """
    meant = {meanings(mention): _words_of(mention.text) for mention in claim.mentions if mention.key}

    def bearing(passage: Passage) -> tuple[int, int, int]:
        said = _words_of(passage.sentence)
        ends = sum(
            any(keys & mention.candidates for mention in passage.mentions) or bool(words and words <= said)
            for keys, words in meant.items()
        )
        return ends, len(wanted & said), passage.number

    ranked = sorted(passages, key=bearing, reverse=True)
    named = bearing(ranked[0])[0]
    if not named and len(claim.concepts) > 1:
        return []
    kept = [p for p in ranked[:most] if p is ranked[0] or (named > 1 and bearing(p)[0] == named)]
    return sorted(kept, key=lambda passage: passage.number)
