"""Read articles as sentences with the concepts they name."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from groundwork.linking import Linker, Mention
from groundwork.mention_cache import MentionCache
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.reading.placing import placed, within
from groundwork.records import Abstract, fingerprint, live
from knowhd.evidence.pieces import Passage

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

    def read(self, pmids: Sequence[int]) -> list[Sentences]:
        """Return the sentences of articles, the title first. An article that does not exist has no sentences."""
        known = {pmid: self._read[pmid] for pmid in pmids if pmid in self._read}
        found = self._literature.get([pmid for pmid in pmids if pmid not in known])
        linked = self._linked([_text(article) for article in found.values() if not article.spoken])
        for pmid, article in found.items():
            text = _text(article)
            known[pmid] = _passages(article, placed(text, article.spoken) if article.spoken else linked[text])
        self._read.update(known)
        while len(self._read) > _HELD:
            self._read.popitem(last=False)
        return [known.get(pmid, ()) for pmid in pmids]

    def _linked(self, texts: Sequence[str]) -> dict[str, tuple[Mention, ...]]:
        """Return the mentions of texts, from the cache where possible."""
        names = self._state[0]
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
    title, known = article.text.title, tuple(mentions)
    begins = len(title) + 1 if title else 0
    told = [Sentence(each.text, each.start + begins, each.end + begins) for each in sentences(article.text.abstract)]
    whole = [Sentence(title, 0, len(title)), *told] if title else told
    return tuple(
        Passage(f"pmid:{article.pmid}#s{n}", article.pmid, title, part.text, 0.0, False, n, within(known, part))
        for n, part in enumerate(part for sentence in whole for part in cut(sentence))
    )
