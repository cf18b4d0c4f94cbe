"""A linker for many texts: it looks up the names of many texts together and then answers from memory."""

from collections.abc import Iterable

from groundwork.linking import Linker
from groundwork.ports import GraphReader
from groundwork.records import Found
from groundwork.rewording import rewordings
from groundwork.spelling import variants, without_article

#: Maximum number of names in one look-up.
_TOGETHER = 20_000


class BatchLinker(Linker):
    """A `Linker` that is faster if its texts are announced with `expect_texts` or `expect_phrases`.

    Its answers are the same as those of a `Linker`.

    Args:
        graph: The graph in which names are looked up. It must not change while the linker is used.
    """

    def __init__(self, graph: GraphReader) -> None:
        super().__init__(graph, remember=True)
        self._near: dict[str, Found] = {}

    def expect_texts(self, texts: Iterable[str]) -> None:
        """Find the mentions of these texts, so that `mentions` later returns them from memory."""
        self.all_mentions(texts)

    def expect_phrases(self, phrases: Iterable[str]) -> None:
        """Look up every name that `link` will need for these phrases.

        These names are the spellings and other wordings of each phrase. If no spelling of a phrase is a name, similar
        names are looked up as well.
        """
        asked = dict.fromkeys(map(without_article, phrases))
        self._look_up(form for words in asked for form in (*variants(words), *rewordings(words)))
        left = [words for words in asked if words not in self._near and not self._named(variants(words))]
        self._near |= self._graph.find_all(left)

    def _look_up(self, forms: Iterable[str]) -> None:
        every = list(dict.fromkeys(forms))
        for start in range(0, len(every), _TOGETHER):
            self._named(every[start : start + _TOGETHER])

    def _find(self, words: str, type: str | None) -> Found:
        known = self._near.get(words) if type is None else None
        return super()._find(words, type) if known is None else known
