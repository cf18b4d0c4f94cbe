"""Read articles as sentences with the concepts they name."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from groundwork.linking import Linker, Mention
from groundwork.mention_cache import MentionCache
from groundwork.notices import is_notice
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.reading.placing import placed, within
from groundwork.records import Abstract, Text, fingerprint, live
from groundwork.sections import Section, sections
from groundwork.study import study_of
from knowhd.evidence.pieces import OWN_TEXT, Passage

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
            known[pmid] = _passages(article, placed(text, article.spoken) if article.spoken else linked[text])
        self._read.update(known)
        while len(self._read) > _HELD:
            self._read.popitem(last=False)
        return [known.get(pmid, ()) for pmid in pmids]

    def read_text(self, text: str) -> Sentences:
        """Return the sentences of a text that is no article of the literature, such as a part of a full text."""
        article = Abstract(OWN_TEXT, None, Text("", text))
        return _passages(article, self._linker.mentions(text))

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


def _passages(article: Abstract, mentions: Iterable[Mention]) -> Sentences:
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
