"""Read what a sentence states about two ends with a small encoder: a sign, how it is said, and who acts.

The encoder is a BERT of six layers that was fitted on sentences which people labelled (docs/cards/reader.md). One file
holds it: an ONNX model whose metadata carry the vocabulary and the card of the fit.

The names of the ends are replaced by markers that tell only the type of each end and which of them comes first. The
encoder therefore reads what a sentence says about its ends, and knows nothing about the ends themselves.
"""

import hashlib
import json
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.vocabulary import Sign

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


#: The classes of the three answers, in the order of the model's output.
SIGNS = ("none", "related", "down", "up")
MANNERS = ("result", "hedged", "denied", "unstated")
ACTS = ("first", "second", "neither")

#: The weights that come with the program.
SHIPPED = "reader.onnx"
#: The opposite sign's probability, times this factor, is subtracted from the probability of a sign (`clearness`).
OPPOSED = 0.75
#: Maximum number of readings kept in memory; the oldest are dropped.
_KEPT = 65_536

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence with two marked ends.

    Attributes:
        text: The sentence.
        one: Positions (start, end) of the mentions of one end.
        other: Positions of the mentions of the other end. They do not overlap those of `one`.
        types: Types of the two ends, in this order.
    """

    text: str
    one: Spans
    other: Spans
    types: tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairReading(Record):
    """What a sentence states about two ends, as probabilities in [0, 1].

    Attributes:
        up: More of one end goes with more of the other. A denial is not considered here.
        down: More of one end goes with less of the other.
        related: There is a relation without a sign.
        none: There is no relation. `up`, `down`, `related` and `none` sum to 1.
        result: The sentence states what it says about the ends as a result or as known.
        hedged: It says that this may hold.
        denied: It says that this does not hold.
        unstated: It leaves open whether this holds: an aim, a method, a question, a hypothesis, a case history or a
            notice. `result`, `hedged`, `denied` and `unstated` sum to 1.
        one_acts: The end `one` acts on the other.
        other_acts: The end `other` acts.
    """

    up: float
    down: float
    related: float
    none: float
    result: float
    hedged: float
    denied: float
    unstated: float
    one_acts: float
    other_acts: float

    @property
    def sign(self) -> Sign:
        """The more likely sign: +1 if `up` is at least as large as `down`, else -1."""
        return 1 if self.up >= self.down else -1

    @property
    def stated(self) -> float:
        """The probability that what the sentence says about the ends is stated to hold, or that it may hold."""
        return self.result + self.hedged

    @property
    def signed(self) -> float:
        """The probability that the more likely sign is stated."""
        return max(self.up, self.down) * self.stated

    @property
    def opposite(self) -> float:
        """The probability that the less likely sign is stated."""
        return min(self.up, self.down) * self.stated

    @property
    def clear(self) -> float:
        """How clearly the sentence states the more likely sign, as computed by `clearness`."""
        return clearness(self.signed, self.opposite)

    @property
    def any(self) -> float:
        """The probability that the sentence speaks of a relation, stated or not."""
        return 1.0 - self.none

    @property
    def negated(self) -> bool:
        """Whether the sentence rather denies than states what it says about the ends."""
        return self.denied > max(self.stated, self.unstated)

    @property
    def asserted(self) -> bool:
        """Whether the sentence rather states or denies something about the ends than leaves it open."""
        return self.unstated < max(self.stated, self.denied)

    @property
    def acts(self) -> int | None:
        """The end that acts: 0 for `one`, 1 for `other`; None if that is not clear."""
        sure = max(self.one_acts, self.other_acts)
        return None if sure < 0.5 else 0 if self.one_acts == sure else 1


def clearness(sure: float, opposite: float) -> float:
    """Return how clearly a sign is stated: its probability minus `OPPOSED` times the probability of the opposite sign.

    The result is at most 1. A sign is decided if the result reaches `Encoder.threshold_of`. The two probabilities may
    come from different sentences of one article, so that sentences that contradict each other decide nothing.
    """
    return sure - OPPOSED * opposite


class Encoder:
    """Reads sentences with marked ends. A sentence is read once for a pair of ends: its reading is kept in memory.

    Args:
        model: Content of a file of weights.

    Raises:
        InputError: The file holds no weights.
    """

    def __init__(self, model: bytes) -> None:
        self.sha256 = hashlib.sha256(model).hexdigest()
        self._model = model
        self._given: float | None = None
        self._kept: OrderedDict[tuple[tuple[int, ...], tuple[int, ...]], Floats] = OrderedDict()

    def with_threshold(self, threshold: float | None) -> "Encoder":
        """Return an encoder with another threshold; None for the one of the fit."""
        if threshold is None:
            return self
        other = copy(self)
        other._given = threshold
        return other

    @property
    def threshold(self) -> float:
        """Clearness from which a sign is decided, in (0, 1), between types without a threshold of their own."""
        return self.threshold_of(())

    def threshold_of(self, types: Iterable[str]) -> float:
        """Return the clearness from which a sign is decided between ends of two types, in (0, 1).

        It differs, since a sentence that names a gene and a cancer states a sign less often than one with two drugs.
        """
        if self._given is not None:
            return self._given
        return float(self.card["thresholds"].get("|".join(sorted(types)), self.card["threshold"]))

    @property
    def threshold_any(self) -> float:
        """Probability from which a relation without a sign, or a denial, is decided, in (0, 1)."""
        return float(self.card["threshold_any"])

    @cached_property
    def card(self) -> Mapping[str, Any]:
        """What the fit wrote down: data, figures and thresholds."""
        return json.loads(self._metadata["card"])  # type: ignore[no-any-return]

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # One thread, one sentence: then a reading never depends on what is read beside it, or on the machine's cores.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(self._model, options, providers=["CPUExecutionProvider"])
        except Exception as broken:  # noqa: BLE001 - onnxruntime does not export the classes of its errors
            raise _no_weights(str(broken).splitlines()[0]) from None

    @cached_property
    def _metadata(self) -> Mapping[str, str]:
        held: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        if not {"vocabulary", "card"} <= held.keys():
            raise _no_weights("an ONNX model without vocabulary and card")
        return held

    @cached_property
    def _pieces(self) -> WordPieces:
        return WordPieces(self._metadata["vocabulary"].split("\n"))

    def knows(self, word: str) -> bool:
        """Return whether a word in lower case is whole in the vocabulary, as common words are and most symbols not."""
        return word in self._pieces

    def read(self, asked: Iterable[Marked]) -> list[PairReading]:
        """Return what each sentence states about its ends, in order."""
        return [self._one(each) for each in asked]

    def _one(self, each: Marked) -> PairReading:
        turned = each.other[0] < each.one[0]
        first, second = (each.other, each.one) if turned else (each.one, each.other)
        types = (each.types[1], each.types[0]) if turned else each.types
        ids, ends = marked(self._pieces, each.text, first, second, types, (LEADS["sentence"],))
        found = self._probabilities(tuple(ids), tuple(ends))
        none, related, down, up, result, hedged, denied, unstated, one, other, _ = map(float, found)
        if turned:
            one, other = other, one
        return PairReading(up, down, related, none, result, hedged, denied, unstated, one, other)

    def _probabilities(self, ids: tuple[int, ...], ends: tuple[int, ...]) -> Floats:
        """Return the probabilities of all classes, shape (11,)."""
        key = (ids, ends)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        feed = {"ids": np.array([ids], dtype=np.int64), "ends": np.array([ends], dtype=np.int64)}
        (logits,) = self._session.run(None, feed)[0]
        bounds = (len(SIGNS), len(SIGNS) + len(MANNERS))
        found = np.concatenate([_softmax(part) for part in np.split(logits, bounds)])
        self._kept[key] = found
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum(), dtype=np.float32)


def _no_weights(seen: str) -> InputError:
    return InputError(
        f"no weights of the reader: {seen}",
        "a file that `truthhypo bench train-reader` wrote",
        "give such a file, or leave the setting `reader` empty",
    )


@lru_cache(maxsize=1)
def shipped() -> Encoder:
    """Return the encoder with the weights that come with the program."""
    return Encoder(files("groundwork.reading").joinpath(SHIPPED).read_bytes())


def connect(weights: str = "", threshold: float | None = None) -> Encoder:
    """Return an encoder configured by the settings `reader` and `reader_threshold`.

    Args:
        weights: A file of weights; empty for the weights that come with the program.
        threshold: Clearness from which a sign is decided, in (0, 1); None for the value in the weights.

    Raises:
        InputError: The file cannot be read or holds no weights.
    """
    if not weights:
        return shipped().with_threshold(threshold)
    try:
        content = Path(weights).read_bytes()
    except OSError as broken:
        raise _no_weights(f"{weights} cannot be read ({broken.strerror})") from None
    held = Encoder(content)
    _ = held.card  # says now, rather than at the first sentence, that the file holds no weights
    return held.with_threshold(threshold)
