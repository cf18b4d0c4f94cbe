"""Gather the evidence on a claim from graph and literature (paper A, equations 1 and 2).

The literature is searched for the words of the claim and the names of its concepts. The choice of names decides what is
found (MEASURED.md). Each concept is searched by the few names that the literature uses most. In each article, only the
name of the concept that matches best counts. The score of an article is the BM25 score of the claim, where any name of
a concept may replace the name in the claim. So the threshold `Scope.tau` remains a BM25 score, and more names can only
raise the score of an article.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import Any

from groundwork.language import Sentence, cut, sentences
from groundwork.linking import Linker, Mention, MentionCache, placed, within
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.reading.tree import parse_mended
from groundwork.records import Abstract, Chain, Concept, Hit, Hop, Naming, Text, fingerprint, live
from groundwork.study import Section, is_notice, sections, study_of
from groundwork.vocabulary import VARIANTS
from knowhd.claims import Claim, meanings
from knowhd.judge import articles, pieces_of
from knowhd.options import Scope
from knowhd.phrases import is_denied, predicate_of, predicates_of
from knowhd.pieces import KINDS, OWN_TEXT, Edge, Evidence, Kind, Passage, Piece, Trail, edge_of, trail_of
from knowhd.prompt import shown, tokens_of

#: Maximum number of articles in memory; the ones that were fetched first are dropped.
_HELD = 4096

Sentences = tuple[Passage, ...]


class Articles:
    """Reads articles, each only once while graph and literature stay the same.

    The mentions in a PubTator document are its own annotations. In other articles they are found by linking.

    Args:
        graph: Store of the concepts.
        literature: Store of the articles.
        cache: Stores linked mentions for other processes; None stores nothing.
    """

    def __init__(self, graph: GraphReader, literature: LiteratureReader, cache: MentionCache | None = None) -> None:
        self._graph = graph
        self._literature = literature
        self._cache = cache
        self._linker = Linker(graph)
        self._state: tuple[str, str] = "", ""
        self._read: OrderedDict[int, Sentences] = OrderedDict()

    def refresh(self) -> tuple[str, ...]:
        """Forget the articles in memory, unless both stores are known to be unchanged.

        Return the live releases of both stores, as `SOURCE:ID`.
        """
        graph, literature = self._graph.releases(), self._literature.releases()
        state = fingerprint(graph), fingerprint(literature)
        if state != self._state or not all(state):
            self._read.clear()
        self._state = state
        return live(graph, literature)

    def read(self, pmids: Sequence[int], stored: Mapping[int, Abstract] | None = None) -> list[Sentences]:
        """Return the sentences of articles, the title first. `stored` has these articles, if the caller fetched them.

        A notice has no sentences, because it is no evidence. An article that does not exist has none either.
        """
        known = {pmid: self._read[pmid] for pmid in pmids if pmid in self._read}
        new = [pmid for pmid in pmids if pmid not in known]
        found = self._literature.get(new) if stored is None else {pmid: stored[pmid] for pmid in new if pmid in stored}
        known |= {pmid: () for pmid, article in found.items() if is_notice(article.text)}
        found = {pmid: article for pmid, article in found.items() if pmid not in known}
        linked = self._linked([_text(article) for article in found.values() if not article.spoken])
        for pmid, article in found.items():
            text = _text(article)
            known[pmid] = _sentences(article, placed(text, article.spoken) if article.spoken else linked[text])
        self._read.update(known)
        while len(self._read) > _HELD:
            self._read.popitem(last=False)
        return [known.get(pmid, ()) for pmid in pmids]

    def read_text(self, text: str) -> Sentences:
        """Return the sentences of a text that is no article of the literature, such as a part of a full text."""
        article = Abstract(OWN_TEXT, None, Text("", text))
        return _sentences(article, self._linker.mentions(text))

    def _linked(self, texts: Sequence[str]) -> dict[str, tuple[Mention, ...]]:
        """Return the mentions of texts, from the cache where possible."""
        names = self._state[0] and f"{self._state[0]} {self._graph.species}"
        kept = self._cache.get(texts, names) if self._cache and names else {}
        found = self._linker.all_mentions(text for text in texts if text not in kept)
        if self._cache and names:
            self._cache.put(found, names)
        return kept | found


def _text(article: Abstract) -> str:
    """Return title and abstract as one text."""
    title, abstract = article.text.title, article.text.abstract
    return f"{title} {abstract}" if title else abstract


def _sentences(article: Abstract, mentions: Iterable[Mention]) -> Sentences:
    title, abstract, known = article.text.title, article.text.abstract, tuple(mentions)
    begins = len(title) + 1 if title else 0
    heading = list(cut(Sentence(title, 0, len(title)))) if title else []
    told = [part for sentence in sentences(abstract) for part in cut(sentence)]
    parts = [*heading, *(Sentence(each.text, each.start + begins, each.end + begins) for each in told)]
    places: list[Section | None] = ["title"] * len(heading)
    places += sections(abstract, (part.start for part in told))
    study = study_of(article)
    return tuple(
        Passage(
            f"pmid:{article.pmid}#s{n}",
            article.pmid,
            title,
            part.text,
            0.0,
            False,
            n,
            within(known, part),
            section=place,
            design=study.design,
            organism=study.organism,
        )
        for n, (part, place) in enumerate(zip(parts, places, strict=True))
    )


#: Number of names per concept beside the name in the claim, most frequent first. Measured on 800 claims from the
#: training abstracts, without the names that occur only in the source abstract of the claim: the source abstract is the
#: first result for a share of .500 of the claims with 3 names, .504 with 4, .511 with 6 and .509 with 9.
NAMES = 6

#: Words by which an article says that there is no such relation.
_DENIALS = (
    "absence differ difference fail independent ineffective lack neither nor unable unaffected unaltered unchanged "
    "unrelated without"
)
_WORD = re.compile(r"[^\W_]+")
_CHANGE = re.compile(r"([cgmnp])\|SUB\|([^|]*)\|(\d+)\|([^|]*)")
_HGVS = re.compile(r"HGVS:[cgmnp]\.([^;]+)")
_NUMBER = re.compile(r"(?:^|RS#:|;)(?:rs)?(\d{3,})(?=;|$)")
_THREE = "Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val Ter"
_RESIDUES = dict(zip("ARNDCQEGHILKMFPSTWYVX", _THREE.split(), strict=True))


@dataclass(frozen=True, slots=True)
class Query:
    """Arguments of `LiteratureReader.search`: the claim's words without its concepts, and the names of each concept."""

    text: str
    names: tuple[tuple[str, ...], ...]


def query(claim: Claim, concepts: Mapping[str, Concept]) -> Query:
    """Return the query for a claim, given the concepts that it names, by key, as far as the graph knows them."""
    words: list[str] = []
    names: list[tuple[str, ...]] = []
    end = 0
    for mention in sorted(claim.mentions, key=lambda mention: mention.start):
        if mention.key is None or mention.start < end:
            continue
        words.append(claim.text[end : mention.start])
        names.append(tuple(_names(mention, concepts.get(mention.key))))
        end = mention.end
    return Query(" ".join([*words, claim.text[end:]]), tuple(names))


def contrary_text(claim: Claim) -> str:
    """Return words that articles use which state the opposite of a claim, or deny it.

    These are predicates of the other sign, and words of denial ("not" and "no" are not indexed). If the claim itself
    denies something, its own words state the opposite.
    """
    if is_denied(claim.text):
        return query(claim, {}).text
    tree = parse_mended(claim.text, [mention for mention in claim.mentions if mention.key])
    sign = predicate_of([word for word in tree.words if word.mention is None]).sign
    return " ".join([*(predicates_of(-sign) if sign else ()), _DENIALS])


def _names(mention: Mention, concept: Concept | None) -> Iterator[str]:
    """Yield the name in the claim, then the most frequent other names. Names with the same words count as one."""
    counts: Counter[tuple[str, ...]] = Counter()
    shown: dict[tuple[str, ...], str] = {}
    own = _words(mention.text)
    known = zip(concept.synonyms, concept.counts, strict=True) if concept is not None else [(mention.name or "", 1)]
    for name, count in known:
        words = _words(name)
        if words and words != own:
            shown.setdefault(words, name)
            counts[words] += count
    for name in _spelled(mention.key or ""):
        shown.setdefault(_words(name), name)
    yield mention.text
    yield from sorted(shown.values(), key=lambda name: -counts[_words(name)])[:NAMES]


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in a form that ignores case, word order, plural and punctuation."""
    return tuple(sorted({word.rstrip("s") for word in _WORD.findall(name.casefold())}))


def _spelled(key: str) -> Iterator[str]:
    """Yield the spellings of a variant, derived from its id: rs1800566, V66M and Val66Met, 677C>T and C677T."""
    kind, _, ident = key.partition("|")
    if kind not in VARIANTS:
        return
    if number := _NUMBER.search(ident):
        yield f"rs{number[1]}"
    if told := _HGVS.search(ident):
        yield told[1]
    if change := _CHANGE.search(ident):
        level, old, place, new = change.groups()
        yield f"{old}{place}{new}"
        if level != "p":
            yield f"{place}{old}>{new}"
        elif old in _RESIDUES and new in _RESIDUES:
            yield f"{_RESIDUES[old]}{place}{_RESIDUES[new]}"


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
                asked.text, names=asked.names, k=k, min_score=scope.tau, **_limits(scope)
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


#: Tokens for a piece's label, its line end and its id in the answer.
LABEL = 6


def pack(evidence: Evidence, tokens: int | None, graph: GraphReader) -> Evidence:
    """Return the best evidence that fits into a token limit.

    Edges, sentences and chains are taken in turn, by rank, so that no kind displaces another. A piece is shown whole or
    not at all. If a piece does not fit, the next one is tried.

    `tokens` (>= 1) is the limit for all pieces together, counted by `tokens_of`. None keeps all. The claim is not
    counted and never cut.
    """
    if tokens is None:
        return evidence
    lines = shown(pieces_of(evidence, "both"), graph)
    room, kept = tokens, set[str]()
    for turn in zip_longest(evidence.graph, evidence.literature, evidence.chains):
        for piece in filter(None, turn):
            cost = tokens_of(lines[piece.id]) + LABEL
            if cost <= room:
                room -= cost
                kept.add(piece.id)
    held: dict[Kind, tuple[Piece, ...]] = {kind: getattr(evidence, kind) for kind in KINDS}
    chosen: dict[str, Any] = {kind: tuple(p for p in pieces if p.id in kept) for kind, pieces in held.items()}
    unseen = articles(held["literature"]) - articles(chosen["literature"])
    lost = {kind: evidence.left_out.get(kind, 0) + len(held[kind]) - len(chosen[kind]) for kind in KINDS}
    return replace(evidence, left_out=lost, read=evidence.read - unseen, **chosen)
