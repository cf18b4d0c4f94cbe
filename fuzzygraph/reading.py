"""Parsing a sentence whose concepts are known.

Names of concepts are replaced by stand-ins before parsing: a small web-trained parser takes "Metformin treats
diabetes" for a noun phrase, and knows what to do with "Alpha treats Beta".
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, NamedTuple

from fuzzygraph.predicates import predicates
from fuzzygraph.syntax import Tree, Word, fold
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


def read(text: str, names: Iterable[tuple[int, int]] = (), without: Iterable[tuple[int, int]] = ()) -> Tree:
    """Parse one sentence.

    A word that can be a verb but was read as a noun ("Insulin lowers glucose" taken for a heap of nouns) is shown to
    the parser again as a plain verb between plain names; that reading stands if it makes the word the verb of a clause.

    Args:
        text: The sentence.
        names: Where names of concepts stand; each becomes one word.
        without: Stretches that are not shown to the parser.
    """
    hidden = tuple(without)
    pieces = [
        piece
        for piece in _pieces(pipeline().make_doc(text), sorted(names))
        if not any(start <= piece.start and piece.end <= end for start, end in hidden)
    ]
    tree = _parsed(text, pieces)
    for word in tree.words[1:]:
        single = predicates().verb_form(word.text)
        verb = single or _plural_verb(tree, word)
        if verb and word.is_noun and not word.named:
            retried = _parsed(text, *_plain(pieces, tree.words, word.index), "affects" if single else "affect")
            again = next(w for w in retried.words if w.start == word.start)
            if again.dep in {"ROOT", "relcl"} and len(retried.children(again, "nsubj", "dobj", "obl")) > 1:
                return Tree(text, [replace(w, lemma=verb) if w == again else w for w in retried.words])
    return tree


def _plural_verb(tree: Tree, word: Word) -> str | None:
    """The verb that a word between two nouns may be after several names ("aspirin and warfarin cause bleeding")."""
    if word.index < 3 or word.index + 1 == len(tree.words) or not predicates().knows("verb", word.text):
        return None
    joint, last, after = (tree.words[word.index + step] for step in (-2, -1, 1))
    several = last.named and joint.tag == "CC" and tree.words[word.index - 3].named
    return word.text if several and (after.is_noun or after.tag == "VBG") else None


def _plain(pieces: list[Piece], words: Sequence[Word], verb: int) -> tuple[list[Piece], int]:
    """The pieces with the nouns on both sides of the verb joined to one each, and where the verb then is."""
    first = last = verb
    while first > 0 and _in_noun(words[first - 1]):
        first -= 1
    while last + 1 < len(words) and _in_noun(words[last + 1]):
        last += 1
    before = [_join(pieces[first:verb])] if first < verb else []
    after = [_join(pieces[verb + 1 : last + 1])] if last > verb else []
    return [*pieces[:first], *before, pieces[verb], *after, *pieces[last + 1 :]], first + len(before)


def _in_noun(word: Word) -> bool:
    return not word.named and (word.is_noun or word.tag in {"JJ", "CD", "HYPH"} or word.is_verb)


def _join(pieces: list[Piece]) -> Piece:
    return Piece(pieces[0].start, pieces[-1].end, pieces[0].named and len(pieces) == 1, True)


def _parsed(text: str, pieces: list[Piece], verb: int | None = None, plain: str = "") -> Tree:
    """The tree of a sentence cut in pieces, with stand-ins for its names and, if told, a plain verb for its own."""
    from spacy.tokens import Doc

    nlp = pipeline()
    stand_ins = cycle(STAND_INS)
    words = [next(stand_ins) if piece.replaced else text[piece.start : piece.end] for piece in pieces]
    if verb is not None:
        words[verb] = plain
    spaces = [after.start > piece.end for piece, after in pairwise(pieces)]
    doc = Doc(nlp.vocab, words=words, spaces=[*spaces, False][: len(words)])
    for token in doc:
        token.is_sent_start = token.i == 0
    tree = fold(nlp(doc), text, [(piece.start, piece.end) for piece in pieces])
    return Tree(text, [replace(word, named=pieces[word.index].named) for word in tree.words])


def _pieces(doc: "Doc", names: list[tuple[int, int]]) -> list[Piece]:
    """Names whole, other tokens cut where a name starts or ends inside one; white space left out."""
    pieces = [Piece(start, end, True, True) for start, end in names]
    for token in doc:
        start, end = token.idx, token.idx + len(token)
        for name_start, name_end in names:
            if start < name_start < end and not token.is_space:
                pieces.append(Piece(start, name_start))
            if start < name_end and name_start < end:
                start = max(start, name_end)
        if start < end and not token.is_space:
            pieces.append(Piece(start, end))
    return sorted(pieces)
