"""Parsing a sentence whose concepts are known.

Names of concepts are replaced by stand-ins before parsing: a small web-trained parser takes "Metformin treats
diabetes" for a noun phrase, and knows what to do with "Alpha treats Beta".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, NamedTuple

from fuzzygraph.triples.folding import fold
from fuzzygraph.triples.predicates import predicates
from fuzzygraph.triples.syntax import Tree, Word
from groundwork.language import pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: What stands in for names, in turn.
STAND_INS = ("Alpha", "Beta", "Gamma", "Delta")


class Piece(NamedTuple):
    """A stretch of a sentence that is one word to the parser; `replaced` ones are shown to it as a stand-in."""

    start: int
    end: int
    named: bool = False
    replaced: bool = False


def read(
    text: str,
    names: Iterable[tuple[int, int]] = (),
    without: Iterable[tuple[int, int]] = (),
    noun: tuple[int, int] | None = None,
) -> Tree:
    """Parse one sentence.

    A word that can be a verb but was read as a noun ("Insulin lowers glucose" taken for a heap of nouns) is shown to
    the parser again as a plain verb between plain names; that reading stands if it makes the word the verb of a clause.

    Args:
        text: The sentence.
        names: Where names of concepts stand; each becomes one word.
        without: Stretches that are not shown to the parser.
        noun: Where a noun stands that the parser might not take for one.
    """
    hidden = tuple(without)
    pieces = [
        piece
        for piece in _pieces(pipeline().make_doc(text), sorted(names), noun)
        if not any(start <= piece.start and piece.end <= end for start, end in hidden)
    ]
    plain: dict[int, str] = {}
    lemmas: dict[int, str] = {}
    tree = _parsed(text, pieces, plain)
    for start in [piece.start for piece in pieces[1:]]:
        word = next((word for word in tree.words if word.start == start), None)
        verb = _missed_verb(tree, word) if word is not None else None
        if word is None or verb is None:
            continue
        joined = _plain(pieces, tree.words, word.index)
        for shown in _shown(tree, word):
            retried = _parsed(text, joined, {**plain, start: shown})
            if _stands(tree, retried, word):
                tree, pieces = retried, joined
                plain[start], lemmas[start] = shown, verb
                break
    return Tree(text, [replace(word, lemma=lemmas.get(word.start, word.lemma)) for word in tree.words])


def _missed_verb(tree: Tree, word: Word) -> str | None:
    """The verb that a word may be which the parser hung below a noun or took for one; None if it cannot be."""
    if not word.index or word.named or tree.words[word.index - 1].tag in {"DT", "PRP$"}:
        return None
    missed = word.is_noun or (word.tag == "VBZ" and word.dep in {"compound", "nmod", "amod", "appos"})
    return (predicates().verb_form(word.text) if missed else None) or _plural_verb(tree, word)


def _shown(tree: Tree, word: Word) -> Iterator[str]:
    """What to show in place of a verb: a plain one; between two nouns also one that cannot be a noun."""
    yield "affects" if predicates().verb_form(word.text) else "affect"
    before, after = _before(tree, word), tree.words[word.index + 1 : word.index + 2]
    nouns = before is not None and (before.named or before.is_noun)
    if nouns and any(follows.is_noun or follows.tag in {"DT", "JJ", "JJR", "VBG"} for follows in after):
        yield "can affect"


def _before(tree: Tree, verb: Word) -> Word | None:
    """The word before a verb and its adverbs."""
    return next((word for word in reversed(tree.words[: verb.index]) if word.named or word.tag != "RB"), None)


def _stands(tree: Tree, retried: Tree, word: Word) -> bool:
    """Whether a word shown as a verb is one of a clause; if after several names, then with them for its subject."""
    verb = next(again for again in retried.words if again.start == word.start)
    last = _before(tree, word)
    if last is None or predicates().verb_form(word.text):
        return _is_clause(retried, verb)
    return _governs(retried, verb, last)


def _governs(tree: Tree, verb: Word, last: Word) -> bool:
    """Whether a verb has an object, and a subject to which the name before it belongs."""
    doing = [member.start for subject in tree.children(verb, "nsubj") for member in tree.coordinated(subject)]
    return last.start in doing and bool(tree.children(verb, "dobj", "xcomp", "ccomp"))


def _is_clause(tree: Tree, verb: Word) -> bool:
    """Whether a word heads a clause: a main or relative one, or one beside it."""
    below = tree.children(verb, "nsubj", "dobj", "obl") + [w for w in tree.children(verb, "conj") if w.is_verb]
    if verb.dep == "conj" and tree.head(verb).is_verb:
        return any(word.dep == "dobj" for word in below)
    return verb.dep in {"ROOT", "relcl"} and len(below) > 1


def _plural_verb(tree: Tree, word: Word) -> str | None:
    """The verb that a word between two nouns may be after several names ("aspirin and warfarin cause bleeding").

    Not an adjective of a noun that does or suffers something itself ("on aspirin and warfarin lower rates were seen").
    """
    verb, last = word.text.lower(), _before(tree, word)
    if last is None or not last.named or verb not in predicates().meanings["verb"]:
        return None
    after = tree.words[word.index + 1 : word.index + 2]
    follows = any(w.named or w.is_noun or w.tag in {"VBG", "DT", "JJ", "PRP$"} for w in after)
    if not _many(tree, last) or not follows or _governs(tree, word, last) or _describes(tree, word):
        return None
    return verb


def _many(tree: Tree, name: Word) -> bool:
    """Whether a name ends several, or may be a plural itself ("statins")."""
    joint, first = (tree.words[name.index - step] if name.index >= step else None for step in (1, 2))
    several = joint is not None and joint.tag == "CC" and first is not None and first.named
    return several or (name.text.endswith("s") and not name.text.endswith(("ss", "us", "is")))


def _describes(tree: Tree, word: Word) -> bool:
    """Whether a word belongs to a dose, or to the subject of a verb that nothing joins to what went before."""
    after = tree.words[word.index + 1 : word.index + 2]
    if any(predicates().knows("dosing", follows.text.lower().removesuffix("s")) for follows in after):
        return True
    noun = next((above for above in tree.above(word) if above != word and above.dep not in {"compound", "amod"}), word)
    verb = tree.head(noun)
    joined = verb.index > 0 and tree.words[verb.index - 1].tag == "CC"
    return noun.dep in {"nsubj", "nsubjpass"} and verb.index > noun.index > word.index and not joined


def _plain(pieces: list[Piece], words: Sequence[Word], verb: int) -> list[Piece]:
    """The pieces with the nouns on both sides of the verb joined to one each."""
    first = last = verb
    while first > 0 and _in_noun(words[first - 1]):
        first -= 1
    while last + 1 < len(words) and _in_noun(words[last + 1]):
        last += 1
    before = [_join(pieces[first:verb])] if first < verb else []
    after = [_join(pieces[verb + 1 : last + 1])] if last > verb else []
    return [*pieces[:first], *before, pieces[verb], *after, *pieces[last + 1 :]]


def _in_noun(word: Word) -> bool:
    return not word.named and (word.is_noun or word.tag in {"JJ", "CD", "HYPH"} or word.is_verb)


def _join(pieces: list[Piece]) -> Piece:
    return Piece(pieces[0].start, pieces[-1].end, pieces[0].named and len(pieces) == 1, True)


def _parsed(text: str, pieces: list[Piece], plain: Mapping[int, str]) -> Tree:
    """The tree of a sentence cut in pieces, with stand-ins for its names and plain verbs for its own.

    Args:
        text: The sentence.
        pieces: Its words.
        plain: What is shown in place of a verb, by where it starts; a modal before it is not in the tree.
    """
    from spacy.tokens import Doc

    nlp = pipeline()
    stand_ins = cycle(STAND_INS)
    words: list[str] = []
    offsets: list[tuple[int, int]] = []
    for piece in pieces:
        said = next(stand_ins) if piece.replaced else plain.get(piece.start, text[piece.start : piece.end])
        *modal, word = said.split() if piece.start in plain else [said]
        words += [*modal, word]
        offsets += [*((piece.start, piece.start) for _ in modal), (piece.start, piece.end)]
    spaces = [after[0] > before[1] or before[0] == before[1] for before, after in pairwise(offsets)]
    doc = Doc(nlp.vocab, words=words, spaces=[*spaces, False][: len(words)])
    for token in doc:
        token.is_sent_start = token.i == 0
    tree = fold(nlp(doc), text, offsets)
    kept = [word for word in tree.words if word.start < word.end]
    place = {word.index: place for place, word in enumerate(kept)}
    return Tree(text, [_placed(word, place, pieces[place[word.index]].named) for word in kept])


def _placed(word: Word, place: Mapping[int, int], named: bool) -> Word:
    """A word in a tree without modals, which govern nothing."""
    return replace(word, index=place[word.index], head=place[word.head], named=named)


def _pieces(doc: "Doc", names: list[tuple[int, int]], noun: tuple[int, int] | None) -> list[Piece]:
    """Names and the noun whole, other tokens cut where one starts or ends inside them; white space left out."""
    whole = sorted([*names, *([noun] if noun else [])])
    pieces = [Piece(start, end, (start, end) != noun, True) for start, end in whole]
    for token in doc:
        start, end = token.idx, token.idx + len(token)
        for first, last in whole:
            if start < first < end and not token.is_space:
                pieces.append(Piece(start, first))
            if start < last and first < end:
                start = max(start, last)
        if start < end and not token.is_space:
            pieces.append(Piece(start, end))
    return sorted(pieces)
