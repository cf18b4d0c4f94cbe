"""Parse sentences in which concepts are named.

A small parser trained on web texts takes "Metformin lowers" for two nouns and fails on "type 2 diabetes mellitus", but
it parses "John lowers Mary" correctly. Therefore every mention is replaced by a first name before parsing, and each
mention is one word of the tree. All offsets refer to the original sentence.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from groundwork.language import pipeline
from groundwork.linking import Mention

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: Names that replace mentions: one token each, and known to every English parser. First names gave the best parses in a
#: comparison with cities, countries and common chemicals.
STAND_INS = ("John", "Mary", "Peter", "Susan", "David", "Laura", "Paul", "Helen")
#: Words that may stand between two members of a list, and the maximum number of words between two members.
_JOINTS, _LONGEST_JOINT = frozenset({",", ";", "/", "and", "or", "and/or"}), 2
#: Dependency labels of subjects.
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
#: Number of sentences parsed in one batch, and number of parses kept in memory.
BATCH, KEPT = 64, 4096


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a parsed sentence.

    Attributes:
        index: Position in the sentence, from 0.
        text: The word as written; for a mention, its whole name.
        lemma: Its base form in lower case.
        tag: Its Penn part-of-speech tag.
        dep: Its dependency label (ClearNLP), as in spaCy.
        head: Index of its governor; for the root, its own index.
        start: Offset of its first character in the sentence.
        end: Offset after its last character.
        mention: Index of the mention that it stands for; None for other words.
    """

    index: int
    text: str
    lemma: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    mention: int | None = None


class Tree:
    """A parsed sentence.

    Args:
        text: The sentence.
        mentions: The concepts named in it, in order, without overlap.
        words: Its words, in order.
    """

    def __init__(self, text: str, mentions: Sequence[Mention], words: Sequence[Word]) -> None:
        self.text = text
        self.mentions = tuple(mentions)
        self.words = tuple(words)

    @cached_property
    def root(self) -> Word | None:
        """The main word of the sentence, usually its main verb; None if there are no words."""
        return next((word for word in self.words if word.head == word.index), None)

    @cached_property
    def places(self) -> tuple[Word, ...]:
        """The word of each mention."""
        found = {word.mention: word for word in self.words if word.mention is not None}
        return tuple(found[number] for number in range(len(self.mentions)))

    def listed(self, word: Word) -> tuple[int, int]:
        """Return the word indexes (first, after the last) of the list of mentions around a mention: "A, B and C".

        The subject of a verb begins a list of its own: C in "A lowers B and C raises D".
        """
        return next(span for span in self._lists if span[0] <= word.index < span[1])

    @cached_property
    def _lists(self) -> tuple[tuple[int, int], ...]:
        found: list[tuple[int, int]] = []
        for place in self.places:
            between = self.words[found[-1][1] : place.index] if found else self.words
            joined = 0 < len(between) <= _LONGEST_JOINT and all(word.text.lower() in _JOINTS for word in between)
            if found and joined and place.dep not in SUBJECTS:
                found[-1] = found[-1][0], place.index + 1
            else:
                found.append((place.index, place.index + 1))
        return tuple(found)

    @cached_property
    def _below(self) -> tuple[tuple[Word, ...], ...]:
        below: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.index:
                below[word.head].append(word)
        return tuple(map(tuple, below))

    def children(self, word: Word, *labels: str) -> tuple[Word, ...]:
        """Return the words that a word governs, in order; with labels, only those with one of these labels."""
        below = self._below[word.index]
        return tuple(child for child in below if child.dep in labels) if labels else below

    def subtree(self, word: Word) -> Iterator[Word]:
        """Yield a word and everything below it, in no particular order."""
        waiting = [word]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += self._below[found.index]

    def above(self, word: Word) -> list[Word]:
        """Return a word, its governor, and so on up to the root."""
        found = [word]
        while found[-1].head != found[-1].index:
            found.append(self.words[found[-1].head])
        return found

    def path(self, first: Word, second: Word) -> tuple[list[Word], Word, list[Word]] | None:
        """Return the shortest dependency path between two words.

        Returns:
            Three values: the words from the first word up to the top of the path, the top itself, and the words from
            the second word up to the top. Both lists exclude the top. None if the two words have no governor in common.
        """
        up, down = self.above(first), self.above(second)
        known = {word.index for word in down}
        top = next((word for word in up if word.index in known), None)
        if top is None:
            return None
        return up[: up.index(top)], top, down[: down.index(top)]


def parse(text: str, mentions: Sequence[Mention] = ()) -> Tree:
    """Parse one sentence; see `parse_all`."""
    return next(parse_all([(text, mentions)]))


def parse_all(sentences: Iterable[tuple[str, Sequence[Mention]]]) -> Iterator[Tree]:
    """Parse sentences in batches.

    Args:
        sentences: Each sentence with the concepts named in it, in order, without overlap.

    Yields:
        One tree per sentence, in order.

    Raises:
        ModelUnreachable: If no English model is installed.
    """
    waiting = iter(sentences)
    while batch := list(islice(waiting, BATCH)):
        asked = [(text, tuple((mention.start, mention.end) for mention in mentions)) for text, mentions in batch]
        parsed = _parser().words(asked)
        yield from (Tree(*sentence, words) for sentence, words in zip(batch, parsed, strict=True))


#: A sentence and the offsets (start, end) of its mentions, which is all that the parser needs.
_Shown = tuple[str, tuple[tuple[int, int], ...]]


class Parser:
    """Parses sentences and caches the latest results, because one sentence may be evidence for many claims."""

    def __init__(self) -> None:
        self._nlp = pipeline()
        self._kept: OrderedDict[_Shown, tuple[Word, ...]] = OrderedDict()

    def words(self, asked: Sequence[_Shown]) -> list[tuple[Word, ...]]:
        """Return the words of each sentence, in the order of the input."""
        found = {each: self._kept.pop(each) for each in dict.fromkeys(asked) if each in self._kept}
        new = [(each, _tokens(*each)) for each in dict.fromkeys(asked) if each not in found]
        docs = self._nlp.pipe((_doc(tokens) for _, tokens in new), batch_size=BATCH)
        found |= {each: _words(each[0], tokens, doc) for (each, tokens), doc in zip(new, docs, strict=True)}
        self._kept |= found
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return [found[each] for each in asked]


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser()


def _words(text: str, tokens: Sequence["_Token"], doc: "Doc") -> tuple[Word, ...]:
    return tuple(
        Word(t.i, text[at.start : at.end], t.lemma_.lower(), t.tag_, t.dep_, t.head.i, at.start, at.end, at.mention)
        for t, at in zip(doc, tokens, strict=True)
    )


class _Token(NamedTuple):
    """A token shown to the parser: its offsets in the original sentence, and the mention that it stands for."""

    shown: str
    start: int
    end: int
    mention: int | None = None


def _doc(tokens: Sequence[_Token]) -> "Doc":
    """Return the tokens as a spaCy document of one sentence."""
    from spacy.tokens import Doc

    spaces = [after.start > before.end for before, after in pairwise(tokens)]
    doc = Doc(pipeline().vocab, words=[token.shown for token in tokens], spaces=[*spaces, False][: len(tokens)])
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def _tokens(text: str, mentions: Sequence[tuple[int, int]]) -> list[_Token]:
    """Return the tokens of a sentence. Each mention is one token.

    Other tokens are split where a mention starts or ends. A sentence in capitals is shown to the parser in lower
    case, because the parser takes words in capitals for names.
    """
    text = text.lower() if text.isupper() and len(text.lower()) == len(text) else text
    masked, at = "", 0
    origin: list[int] = []  # for each character of `masked`, its offset in the original sentence
    places: dict[int, tuple[int, int]] = {}  # start of a first name -> its end, and the mention that it stands for
    for number, ((begins, ends), name) in enumerate(zip(mentions, cycle(STAND_INS), strict=False)):
        masked += text[at:begins]
        origin += range(at, begins)
        places[len(masked)] = len(masked) + len(name), number
        masked += name
        origin += [begins] * len(name)
        at = ends
    masked += text[at:]
    origin += range(at, len(text))
    cuts = sorted({edge for begin, (end, _) in places.items() for edge in (begin, end)})
    tokens: list[_Token] = []
    for token in pipeline().make_doc(masked):
        if token.is_space:
            continue
        first, last = token.idx, token.idx + len(token)
        edges = [first, *(cut for cut in cuts if first < cut < last), last]
        for start, end in pairwise(edges):
            if start in places:
                number = places[start][1]
                tokens.append(_Token(masked[start:end], *mentions[number], number))
            else:
                tokens.append(_Token(masked[start:end], origin[start], origin[end - 1] + 1))
    return tokens
