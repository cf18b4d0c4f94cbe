"""Turn a sentence with two marked ends into the word pieces that the encoder reads.

The names of the ends are replaced by markers that tell only the type of each end and which of them comes first. The
encoder therefore reads what a sentence says about its ends, and knows nothing about the ends themselves.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

#: Positions (start, end) of the mentions of one end in a sentence, in order.
Spans = tuple[tuple[int, int], ...]

#: Types of ends that have a marker of their own. All other types share the last one.
TYPES = ("Chemical", "Disease", "Gene", "Variant", "Other")
#: Pieces before a sentence that tell what its labels are about: the sentence itself, or its whole document.
LEADS = {"sentence": "[SENTENCE]", "document": "[DOCUMENT]"}
#: Maximum number of word pieces that the encoder reads; longer sentences are cut around their ends.
LONGEST = 128
#: Maximum number of letters of a word that is divided into pieces; longer words become [UNK], as in BERT.
_LONGEST_WORD = 100
#: Apostrophes and dashes that people write in place of ' and -.
_PLAIN = str.maketrans({**dict.fromkeys("’‘ʼ′`´‛", "'"), **dict.fromkeys("‐‑‒–—−", "-"), "“": '"', "”": '"'})


class WordPieces:
    """Divides text into word pieces as BERT's uncased tokenizer does.

    Args:
        vocabulary: The pieces, each with its number. A piece inside a word begins with "##".
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._ids["[UNK]"]
        self._known: dict[str, tuple[int, ...]] = {}

    def id(self, piece: str) -> int:
        """Return the number of a piece."""
        return self._ids[piece]

    def __contains__(self, piece: str) -> bool:
        return piece in self._ids

    def of(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        return [number for word in words(text) for number in self._of_word(word)]

    def _of_word(self, word: str) -> tuple[int, ...]:
        """Divide a word into the longest pieces that the vocabulary has, from left to right."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = tuple(self._divided(word))
        return known

    def _divided(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            lengths = range(len(word), start, -1) if len(word) <= _LONGEST_WORD else ()
            end = next((end for end in lengths if prefix + word[start:end] in self._ids), None)
            if end is None:
                return [self._unknown]
            found.append(self._ids[prefix + word[start:end]])
            start = end
        return found


def words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case without accents. Each punctuation mark is a word."""
    plain = unicodedata.normalize("NFD", text.translate(_PLAIN).lower())
    word = ""
    for letter in plain:
        kind = unicodedata.category(letter)
        if letter.isalnum():
            word += letter
        elif kind not in {"Mn", "Cf"}:  # accents, soft hyphens and signs of no width are no part of a word
            if word:
                yield word
                word = ""
            if not letter.isspace() and kind != "Cc":
                yield letter
    if word:
        yield word


def marker(place: int, kind: str) -> str:
    """Return the piece that replaces an end: `place` 0 for the end that occurs first, 1 for the other."""
    return f"[{'AB'[place]}-{kind if kind in TYPES else TYPES[-1]}]"


def markers() -> Iterator[str]:
    """Yield all pieces that replace ends."""
    yield from (marker(place, kind) for place in (0, 1) for kind in TYPES)


def marked(
    pieces: WordPieces, text: str, first: Spans, second: Spans, types: tuple[str, str], lead: Iterable[str] = ()
) -> tuple[list[int], list[int]]:
    """Return the word pieces of a sentence with its ends replaced, and the end that each piece stands for.

    Args:
        pieces: The vocabulary.
        text: The sentence.
        first: Mentions of the end that occurs first.
        second: Mentions of the other end. Mentions of the two ends must not overlap.
        types: Types of the two ends.
        lead: Pieces before the sentence.

    Returns:
        Numbers of at most `LONGEST` pieces, with [CLS] and [SEP]; for each piece 1 (first end), 2 (second) or 0.
    """
    spans = sorted([(*span, 0) for span in first] + [(*span, 1) for span in second])
    found: list[int] = []
    ends: list[int] = []
    at = 0
    for start, end, place in spans:
        between = pieces.of(text[at:start])
        found += [*between, pieces.id(marker(place, types[place]))]
        ends += [0] * len(between) + [place + 1]
        at = end
    rest = pieces.of(text[at:])
    found, ends = found + rest, ends + [0] * len(rest)
    head = [pieces.id("[CLS]"), *map(pieces.id, lead)]
    kept = _window(ends, LONGEST - len(head) - 1)
    return [*head, *found[kept], pieces.id("[SEP]")], [0] * len(head) + ends[kept] + [0]


def moved(spans: Spans, at: int, by: int) -> Spans:
    """Return where places of a text are after the text grew by some characters before the offset `at`."""
    return tuple((start + by, end + by) if start >= at else (start, end) for start, end in spans)


def _window(ends: Sequence[int], most: int) -> slice:
    """Return the part of a sentence to read: all of it, or `most` pieces around the closest mentions of the ends."""
    if len(ends) <= most:
        return slice(None)
    ones, twos = ([n for n, each in enumerate(ends) if each == which] for which in (1, 2))
    one, two = min(((a, b) for a in ones for b in twos), key=lambda pair: abs(pair[0] - pair[1]))
    low, high = min(one, two), max(one, two)
    room = max(0, most - 1 - (high - low))
    start = max(0, min(low - room // 2, len(ends) - most))
    return slice(start, start + most)
