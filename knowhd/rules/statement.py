"""Read what a claim states about its two ends, with the reader of relations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from groundwork.linking import Mention
from groundwork.polarity import VERB_SIGNS, Sign
from groundwork.reading.cues import category
from groundwork.reading.features import PairView
from groundwork.reading.phrases import is_phrase, phrase_key, with_phrases
from groundwork.reading.reader import PairReading, Reader
from groundwork.reading.repair import parse_mended
from groundwork.reading.scope import scopes
from groundwork.reading.tree import Tree, Word
from knowhd.claims.claims import Claim, meanings

#: Maximum number of ends of one claim that are compared with each other (120 pairs); the first ones are used.
MOST_ENDS = 16
#: Nouns whose modifiers narrow a claim, although words such as "high" mostly belong to the relation.
_DOSES = frozenset({"dosage", "dose"})
_ALL = frozenset({"all", "every", "most"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two ends, as a claim states it.

    Attributes:
        ends: Keys of two concepts or phrases (see `groundwork.reading.phrases`), in the order of the claim.
        names: The names of the ends in the claim.
        meanings: For each end, the keys of the concepts that its name may mean in an article (`claims.meanings`).
        sign: +1 if more of one end goes with more of the other, -1 if it goes with less of the other, 0 for a relation
            without a sign.
        negated: Whether the claim denies the relation.
        hedged: Whether the claim only says that the relation may hold.
        acts: The end that acts on the other; None if the claim does not tell.
        directed: Whether the ends have fixed roles. False for verbs that only say how two things change together
            (`VERB_SIGNS`).
        rest: The other content words and concepts of the claim, as written there, by lemma or concept key.
    """

    ends: tuple[str, str]
    names: tuple[str, str]
    meanings: tuple[frozenset[str], frozenset[str]]
    sign: Sign
    negated: bool
    hedged: bool
    acts: str | None
    directed: bool
    rest: dict[str, str]


def statement_of(claim: Claim, reader: Reader) -> Statement | None:
    """Read a claim; None if no relation between two ends can be read in it."""
    mentions = [mention for mention in claim.mentions if mention.key]
    tree = parse_mended(claim.text, mentions)
    if len({mention.key for mention in mentions}) < 2:
        tree = with_phrases(tree)
    read = _clearest(tree, reader)
    if read is None or not read.asserted:
        return None
    first, second = (tree.mentions[each] for each in (read.first, read.second))
    acting = tree.mentions[read.acts].key if read.acts is not None else None
    stating = PairView(tree, read.first, read.second).stating
    likeliest = max(("up", read.up), ("down", read.down), ("related", read.related), key=lambda each: each[1])[0]
    sign: Sign = 1 if likeliest == "up" else -1 if likeliest == "down" else 0
    return Statement(
        (str(first.key), str(second.key)),
        (first.text, second.text),
        (meanings(first), meanings(second)),
        sign,
        read.negated,
        "hedge" in read.context,
        acting,
        acting is not None and (stating is None or stating.lemma not in VERB_SIGNS),
        _rest(tree, read),
    )


def _clearest(tree: Tree, reader: Reader) -> PairReading | None:
    """Return the reading of the two concepts (or phrases) with the most probable relation; None if no two are related.

    Pairs that are probably not related are left out. A pair related by the main verb comes before a pair within a
    phrase: "A reverses B-induced C" relates A and C.
    """
    first: dict[str, int] = {}
    for number, mention in enumerate(tree.mentions):
        first.setdefault(str(mention.key), number)
    ends = list(first.values())[:MOST_ENDS]
    pairs = [(one, other) for place, one in enumerate(ends) for other in ends[place + 1 :]]
    stated = [read for read in reader.read(tree, pairs) if _stated(read, reader.weights.threshold)]
    return max(stated, key=lambda read: (_by_main_verb(tree, read), read.any), default=None)


def _stated(read: PairReading, threshold: float) -> bool:
    """Return whether a claim states a relation: one is more probable than none, and its sign, if any, is clear."""
    return read.none < max(read.signed, read.related) and (read.signed < read.related or read.clear >= threshold)


def _by_main_verb(tree: Tree, read: PairReading) -> bool:
    """Return whether the path between two mentions in the parse goes up to the root (the main verb) and down again."""
    path = tree.path(tree.places[read.first], tree.places[read.second])
    return path is not None and bool(path[0] and path[2]) and path[1].head == path[1].index


def _rest(tree: Tree, read: PairReading) -> dict[str, str]:
    """Return the content of `Statement.rest`: all content but the ends, the relation, negation and hedging."""
    ends: Sequence[Mention] = [tree.mentions[read.first], tree.mentions[read.second]]
    stating = {word.index for word in tree.words if category(word.lemma) and tree.words[word.head].lemma not in _DOSES}
    stating |= {index for scope in scopes(tree) for index in scope.phrase}
    said = {end.text.lower() for end in ends}
    free = (word for word in tree.words if word.index not in stating and word.mention is None)
    words = [word for word in free if _narrows(word) and word.text.lower() not in said]
    others = [each for each in tree.mentions if each.key not in {end.key for end in ends}]
    phrases = {form: word for each in others if is_phrase(each.key) for form, word in _telling(each.text)}
    known = {str(each.key): each.text for each in others if not is_phrase(each.key)}
    return {word.lemma: word.text for word in words} | phrases | known


def _telling(phrase: str) -> Iterator[tuple[str, str]]:
    """Yield (singular, word) for the words of a noun phrase that narrow a claim (see `telling`)."""
    forms = ((phrase_key(word).partition("|")[2], word) for word in phrase.split())
    return ((form, word) for form, word in forms if form and not category(form) and telling(form, "NN"))


def _narrows(word: Word) -> bool:
    """Return whether a word of a claim narrows it; also a participle before a noun, such as "hospitalized"."""
    return telling(word.lemma, "JJ" if word.dep == "amod" else word.tag)


def telling(lemma: str, tag: str) -> bool:
    """Return whether a word narrows a claim, as "all" does.

    Nouns, adjectives, adverbs, numbers and foreign words narrow a claim, except for the words in general.tsv.
    """
    return lemma in _ALL or (tag.startswith(("NN", "JJ", "RB", "CD", "FW")) and lemma not in _general())


@lru_cache(maxsize=1)
def _general() -> frozenset[str]:
    """Return the words that do not narrow a claim (general.tsv)."""
    lines = files("knowhd.rules").joinpath("general.tsv").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
