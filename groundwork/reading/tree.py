"""Parse sentences in which concepts are named.

A small parser trained on web texts takes "Metformin lowers" for two nouns and fails on "type 2 diabetes mellitus", but
it parses "John lowers Mary" correctly. Therefore every mention is replaced by a first name before parsing, and each
mention is one word of the tree. All offsets refer to the original sentence.

A small parser knows few biomedical verbs and takes a rare verb between two names for a noun. Therefore "A impairs B" is
parsed again with "kills" in place of "impairs" (`mended`). For a similar reason, the names of concepts are replaced by
first names.

For a claim that names fewer than two known concepts, noun phrases take their place (`with_phrases`). The same phrase is
then searched in the evidence. Two phrases are equal if they have the same words, apart from case and plural endings.
Words such as "the" are not part of a phrase.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from groundwork.language import pipeline, rows
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


_NOT = frozenset({"n't", "never", "not"})


@lru_cache(maxsize=1)
def cues() -> Mapping[str, str]:
    """Return the category of each cue word, by its lemma in lower case."""
    return dict(rows("groundwork.reading", "cues.tsv"))


def category(lemma: str) -> str | None:
    """Return the category of a word, or of the part after its last hyphen; None if neither is a cue word."""
    return cues().get(lemma) or cues().get(lemma.rpartition("-")[2])


def context(tree: Tree) -> Iterator[int]:
    """Yield the indexes of words that say whether and how surely something holds: of negations, hedges and conditions.

    Of a phrase that begins with "not", only this word counts: "found" in "not found" may state something.
    """
    words = [word.text.lower() for word in tree.words]
    at = 0
    while at < len(words):
        phrases = _phrases().get(words[at], ())
        size = next((len(phrase) for phrase in phrases if tuple(words[at : at + len(phrase)]) == phrase), 0)
        yield from range(at, at + (1 if size and words[at] in _NOT else size))
        at += max(size, 1)


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases of context.tsv by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for (phrase,) in rows("groundwork.reading", "context.tsv"):
        words = tuple(phrase.replace("-", " - ").split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(phrases, key=len, reverse=True)) for first, phrases in found.items()}


_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_TENSED = frozenset({"VBZ", "VBP", "VBD"})
#: A cue word such as "increase" is a noun, not a verb, if the tag of the word before it is in the first set, or if the
#: word after it is in the second set.
_BEFORE_NOUN = frozenset({"DT", "JJ", "JJR", "IN", "PRP$", "VBG", "HYPH"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "-"})


def parse_mended(text: str, mentions: Sequence[Mention] = ()) -> Tree:
    """Parse a sentence and correct its tree. If the tree has no finite verb, use the tree of `reparsed` instead."""
    tree = mended(parse(text, mentions))
    return tree if any(word.tag in _TENSED | {"MD"} for word in tree.words) else mended(reparsed(tree))


def reparsed(tree: Tree) -> Tree:
    """Parse a sentence again, with "kills" or "kill" in place of each word that may be its verb."""
    text = tree.text
    inner = zip(tree.words, tree.words[1:], tree.words[2:], strict=False)
    acting = {word.start: word for before, word, after in inner if _may_act(before, word, after)}
    for word in acting.values():
        shown = "kills" if word.text.endswith("s") and not category(word.text) else "kill"
        text = text[: word.start] + shown.ljust(len(word.text)) + text[word.end :]
    words = [
        replace(new, text=old.text, end=old.end, lemma=_base(old.text)) if (old := acting.get(new.start)) else new
        for new in parse(text, tree.mentions).words
    ]
    return Tree(tree.text, tree.mentions, words)


def mended(tree: Tree) -> Tree:
    """Return a tree in which frequent errors of the parser are corrected.

    A noun after its verb is the object of the verb, not the subject. A verb that the parser attached to a noun is
    attached to the verb above this noun: in "lowers A, raises C", "raises" belongs to "lowers", not to A. If the parser
    took the object of one verb for the subject of the next verb, `_part_clauses` separates the two clauses.
    """
    words = list(tree.words)
    for verb in tree.words:
        noun = tree.words[verb.head]
        if verb.dep == "nsubj" and verb.tag in _NOUNS and noun.tag in _TENSED and verb.index > noun.index:
            words[verb.index] = replace(verb, dep="dobj")
        above = next((word for word in tree.above(noun) if word.tag in _TENSED), None)
        if verb.tag in _TENSED and verb.dep == "conj" and noun.tag in _NOUNS and above is not None:
            words[verb.index] = replace(verb, head=above.index)
            for other in tree.children(noun):
                if other.dep == "conj" and other.index > verb.index:
                    words[other.index] = replace(other, head=verb.index, dep="dobj")
        if verb.dep == "ccomp" and verb.tag in _TENSED and noun.tag in _TENSED and noun.index < verb.index:
            _part_clauses(tree, verb, words)
    return Tree(tree.text, tree.mentions, words)


def _part_clauses(tree: Tree, verb: Word, words: list[Word]) -> None:
    """Make the first of two coordinated subjects the object of the preceding verb: B in "A lowers B and C raises D"."""
    above = tree.words[verb.head]
    subject = next((child for child in tree.children(verb) if child.dep == "nsubj" and child.index > above.index), None)
    second = next((child for child in tree.children(subject) if child.dep == "conj"), None) if subject else None
    whole = any(child.dep == "dobj" for child in tree.children(above)) or any(
        child.dep == "mark" for child in tree.children(verb)
    )
    if subject and second and not whole:
        words[subject.index] = replace(subject, head=above.index, dep="dobj")
        words[second.index] = replace(second, head=verb.index, dep="nsubj")
        words[verb.index] = replace(verb, dep="conj")


def _may_act(before: Word, word: Word, after: Word) -> bool:
    """Return whether a word that is not tagged as a verb may be a verb.

    This is so if it is a noun or adjective between two concepts, or a cue word in a place where a verb may stand.
    """
    if (
        word.mention is not None
        or word.tag in _TENSED | {"MD"}
        or not word.text.islower()
        or len(word.text) < len("kills")
    ):
        return False
    if before.mention is not None and after.mention is not None:
        return word.tag[:2] in {"NN", "JJ"}
    known = category(_base(word.text)) is not None
    return known and before.tag not in _BEFORE_NOUN and after.text.lower() not in _BEHIND_NOUN


def _base(word: str) -> str:
    """Return the base form of a regular verb if it is a cue word, else the word itself."""
    return next((form for form in (word, word[:-1], word[:-2]) if category(form)), word)


#: Type in the key of a phrase: `Phrase|words`.
PHRASE = "Phrase"
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
#: Tags that the parser gives to a name in the place of a noun if it does not know it; VBG is a verb in -ing.
_NAMING = frozenset({"FW", "JJ", "UH", "VBG"})
_BEFORE_HEAD = ("NN", "JJ", "CD", "HYPH", "VBN", "VBG")
#: Nouns that are too general to be a phrase alone.
NAMELESS = frozenset(
    """analysis association case change data effect evidence finding group individual kind level month number patient
    people person rate relation result risk role study time treatment type use week year""".split()  # noqa: SIM905
)


def with_phrases(tree: Tree, *, whole: bool = False) -> Tree:
    """Parse a sentence again, with its noun phrases as additional mentions.

    Args:
        tree: The parsed sentence.
        whole: Whether a phrase may contain mentions, which it then replaces: "insulin receptor expression".
    """
    spans = list(_spans(tree, whole=whole))
    longest = (a for a in spans if not any(a != b and b[0] <= a[0] and a[1] <= b[1] for b in spans))
    named = ((tree.text[start:end], start, end) for start, end in longest)
    phrases = [Mention(words, start, end, phrase_key(words), words, 1.0) for words, start, end in named]
    kept = (m for m in tree.mentions if not any(p.start < m.end and m.start < p.end for p in phrases))
    return parse(tree.text, sorted([*kept, *phrases], key=lambda mention: mention.start))


def places(text: str, key: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the places of a phrase in a text. They may contain existing mentions, but are never part of one.

    Args:
        text: A sentence.
        key: Key of the phrase, as `with_phrases` makes it.
        taken: The existing mentions.
    """
    wanted = key.removeprefix(f"{PHRASE}|").split()
    words = [(match.start(), match.end(), _form(match[0])) for match in _WORD.finditer(text)]
    if not wanted:  # the phrase consists of signs only, such as "%"
        return
    for at in range(len(words) - len(wanted) + 1):
        if [form for _, _, form in words[at : at + len(wanted)]] == wanted:
            start, end = words[at][0], words[at + len(wanted) - 1][1]
            if all(m.end <= start or end <= m.start or (start <= m.start and m.end <= end) for m in taken):
                yield Mention(text[start:end], start, end, key, text[start:end], 1.0)


def _spans(tree: Tree, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield the offsets of noun phrases: a noun that is no mention, and the words before it that belong to it."""
    for head in tree.words:
        after = tree.words[head.index + 1] if head.index + 1 < len(tree.words) else None
        inner = after is not None and after.tag.startswith("NN") and after.mention is None and head.head == after.index
        if _names(head) and not (inner and head.dep == "compound") and head.lemma not in NAMELESS:
            first = head
            while first.index and _belongs(tree.words[first.index - 1], head, whole=whole):
                first = tree.words[first.index - 1]
            yield first.start, head.end


def _names(word: Word) -> bool:
    """Return whether a word names something: a noun, or a word of another kind in the place of a noun (`_NAMING`)."""
    noun = word.tag.startswith("NN") or (word.tag in _NAMING and word.dep in {"dobj", "nsubj", "nsubjpass", "pobj"})
    return word.mention is None and noun


def _belongs(word: Word, head: Word, *, whole: bool) -> bool:
    """Return whether a word before the noun `head` belongs to the phrase of this noun."""
    free = whole or word.mention is None
    return free and word.tag.startswith(_BEFORE_HEAD) and word.head <= head.index and word.dep != "nsubj"


def is_phrase(key: str | None) -> bool:
    """Return whether a key is the key of a phrase."""
    return key is not None and key.startswith(f"{PHRASE}|")


def phrase_key(words: str) -> str:
    """Return the key of a phrase."""
    return f"{PHRASE}|{' '.join(_form(match[0]) for match in _WORD.finditer(words))}"


def _form(word: str) -> str:
    """Return a word in lower case, without a plural ending."""
    lower = word.lower()
    if lower.endswith("ies") and len(lower) > 4:
        return lower[:-3] + "y"
    return lower[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3 else lower
