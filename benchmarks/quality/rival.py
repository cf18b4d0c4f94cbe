"""A simple linker for comparison: a dictionary that gives each lower-case string its most frequent id.

A string that it does not contain gets the ids of the most similar strings (rapidfuzz's ratio). Nothing is refused.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from benchmarks.quality.corpus import Annotation, Names

#: Number of similar strings that replace a string which the dictionary does not contain.
LIKE = 5


class Dictionary:
    """Maps strings of a type to keys.

    Args:
        sources: Counts of each concept's names. A name in two sources counts in both.
    """

    def __init__(self, *sources: Names) -> None:
        self._keys: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for key, name, count in _rows(sources):
            self._keys[key.partition("|")[0]][name.lower()][key] += count
        self._strings = {kind: list(held) for kind, held in self._keys.items()}
        self._done: dict[tuple[str, str], list[str]] = {}

    def ranked(self, given: Annotation) -> list[str]:
        """Return the keys for an annotated string, the most frequent first."""
        asked = given.type, given.text.lower()
        if asked not in self._done:
            held = self._keys[given.type]
            strings = [asked[1]] if asked[1] in held else self._like(*asked)
            keys = (
                key for string in strings for key, _ in sorted(held[string].items(), key=lambda kc: (-kc[1], kc[0]))
            )
            self._done[asked] = list(dict.fromkeys(keys))
        return self._done[asked]

    def _like(self, kind: str, string: str) -> list[str]:
        return [
            name for name, _, _ in process.extract(string, self._strings.get(kind, []), scorer=fuzz.ratio, limit=LIKE)
        ]


def _rows(sources: Iterable[Mapping[str, Mapping[str, int]]]) -> Iterable[tuple[str, str, int]]:
    for source in sources:
        for key, counts in source.items():
            yield from ((key, name, count) for name, count in counts.items())
