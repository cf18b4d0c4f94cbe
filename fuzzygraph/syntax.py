"""A sentence as a tree of words, the same whichever labels the parser speaks.

spaCy's English models speak ClearNLP labels (nsubjpass, dobj, prep + pobj); others speak Universal Dependencies
(nsubj:pass, obj, obl with a case marker, copulas below their noun). Both become one form here: ClearNLP's names, with
prepositions folded into the word they govern, so that "treated by donepezil" is treated -obl[by]-> donepezil.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NEGATIONS = frozenset({"not", "n't", "never"})
#: What belongs to the clause and not to the predicate noun below a copula.
_OF_THE_CLAUSE = frozenset({"nsubj", "csubj", "aux", "expl", "mark", "neg", "advcl", "punct"})
_FINITE = frozenset({"VBZ", "VBP", "VBD"})
_PREPOSITIONS = frozenset({"prep", "agent", "dative"})
_LABELS = {
    "nsubj:pass": "nsubjpass",
    "nsubj:outer": "nsubj",
    "csubj:pass": "csubjpass",
    "aux:pass": "auxpass",
    "obj": "dobj",
    "iobj": "dative",
    "nmod:poss": "poss",
    "obl:agent": "obl",
    "obl:tmod": "npadvmod",
    "obl:npmod": "npadvmod",
    "acl:relcl": "relcl",
    "compound:prt": "prt",
    "cc:preconj": "preconj",
    "det:predet": "predet",
    "flat": "compound",
    "fixed": "case",
    "root": "ROOT",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a concept's whole name, in its sentence.

    Attributes:
        index: Place in the sentence.
        text: As written.
        lemma: Its base form, lower case.
        tag: Penn part of speech.
        dep: Its relation to `head`, in folded ClearNLP labels.
        head: Index of its governor; its own at the root.
        start: Offset of its first character.
        end: Offset after its last.
        case: The preposition that was folded into it, lower case; else empty.
        named: Whether it is a concept's name.
    """

    index: int
    text: str
    lemma: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    case: str = ""
    named: bool = False

    @property
    def is_verb(self) -> bool:
        """Whether it is tagged as a verb (auxiliaries too)."""
        return self.tag.startswith("VB")

    @property
    def is_noun(self) -> bool:
        """Whether it is tagged as a noun or name."""
        return self.tag.startswith("NN")


class Tree:
    """A sentence's words and who governs whom.

    Args:
        text: The sentence.
        words: Its words in order, folded.
    """

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = tuple(words)
        self._below: dict[int, list[Word]] = {}
        for word in words:
            if word.head != word.index:
                self._below.setdefault(word.head, []).append(word)

    def children(self, word: Word, *deps: str) -> list[Word]:
        """What the word governs, in order; only those relations if any are named."""
        below = self._below.get(word.index, [])
        return [child for child in below if child.dep in deps] if deps else below

    def head(self, word: Word) -> Word:
        """The word's governor, itself at the root."""
        return self.words[word.head]

    def subtree(self, word: Word, without: frozenset[str] = frozenset()) -> Iterator[Word]:
        """The word and everything below it, leaving out branches of the named relations."""
        yield word
        for child in self.children(word):
            if child.dep not in without:
                yield from self.subtree(child, without)

    def above(self, word: Word) -> Iterator[Word]:
        """The word, its governor, and so on up to the root."""
        while True:
            yield word
            if word.head == word.index:
                return
            word = self.head(word)

    def conjuncts(self, word: Word) -> list[Word]:
        """The word and all that is coordinated with it: "aspirin, ibuprofen and naproxen"."""
        found = [word]
        for member in found:
            found += [c for c in self.children(member, "conj") if c not in found]
        return found


def fold(doc: "Doc", text: str, offsets: Sequence[tuple[int, int]] | None = None) -> Tree:
    """A parsed spaCy document of one sentence, in either label set, as a tree.

    Args:
        doc: Tokens with heads and labels.
        text: The sentence as written.
        offsets: Where each token stands in `text`, if some of the document's own words are stand-ins.
    """
    where = offsets or [(token.idx, token.idx + len(token)) for token in doc]
    words = []
    for token, (start, end) in zip(doc, where, strict=True):
        written = text[start:end]
        lemma = token.lemma_ if token.text == written else written
        dep = "neg" if token.lower_ in _NEGATIONS else _LABELS.get(token.dep_, token.dep_)
        words.append(Word(token.i, written, lemma.lower(), token.tag_, dep, token.head.i, start, end))
    _raise_copulas(words)
    _fold_cases(words)
    _fold_prepositions(words)
    _lift_verbs(words)
    _raise_subjects(words)
    return Tree(text, words)


def _raise_copulas(words: list[Word]) -> None:
    """Universal Dependencies hang "is" below "cause" in "X is a cause"; ClearNLP the other way round, as here."""
    for cop in [word for word in words if word.dep == "cop"]:
        noun = words[cop.head]
        head = cop.index if noun.head == noun.index else noun.head
        words[cop.index] = replace(cop, dep=noun.dep, head=head)
        words[noun.index] = replace(noun, dep="attr" if noun.is_noun else "acomp", head=cop.index)
        for word in words:
            if word.head == noun.index and word.dep in _OF_THE_CLAUSE:
                words[word.index] = replace(word, head=cop.index)


def _fold_cases(words: list[Word]) -> None:
    """Universal Dependencies: the case marker goes into its noun; so does the marker of a gerund ("by doing")."""
    for marker in [word for word in words if word.dep in {"case", "mark"} and word.tag in {"IN", "TO"}]:
        noun = words[marker.head]
        if marker.dep == "mark" and not (noun.tag == "VBG" and marker.tag == "IN"):
            continue
        dep = "obl" if noun.dep.partition(":")[0] in {"obl", "nmod"} else noun.dep
        words[noun.index] = replace(noun, dep=dep, case=f"{noun.case} {marker.text.lower()}".strip())


def _fold_prepositions(words: list[Word]) -> None:
    """ClearNLP: what a preposition governs hangs below the preposition's governor and carries it as its case."""
    governed = [word for word in words if word.dep in {"pobj", "pcomp"} and not _is_preposition(word)]
    for word in governed:
        preposition = words[word.head]
        case = preposition.text.lower()
        while preposition.head != preposition.index and _is_preposition(words[preposition.head]):
            words[preposition.index] = replace(preposition, dep="case", head=word.index)
            preposition = words[preposition.head]
            case = f"{preposition.text.lower()} {case}"
        at_root = preposition.head == preposition.index
        dep = preposition.dep if at_root else "obl" if word.dep == "pobj" else "advcl"
        head = word.index if at_root else preposition.head
        words[word.index] = replace(word, dep=dep, case=case, head=head)
        words[preposition.index] = replace(preposition, dep="case", head=word.index)


def _lift_verbs(words: list[Word]) -> None:
    """A finite verb that hangs beside a noun is coordinated with that noun's verb: "inhibits ACE and lowers ..."."""
    for verb in [word for word in words if word.dep == "conj" and word.tag in _FINITE and words[word.head].is_noun]:
        above, seen = words[verb.head], {verb.index}
        while above.index not in seen and not above.is_verb:
            seen.add(above.index)
            above = words[above.head]
        if above.index not in seen:
            words[verb.index] = replace(verb, head=above.index)


def _raise_subjects(words: list[Word]) -> None:
    """A noun that hangs in front of a finite verb as if they were one compound is its subject."""
    for noun in [word for word in words if word.dep == "compound" and word.is_noun]:
        verb = words[noun.head]
        taken = any(word.head == verb.index and word.dep in {"nsubj", "nsubjpass"} for word in words)
        if verb.tag == "VBZ" and verb.index > noun.index and not taken:
            words[noun.index] = replace(noun, dep="nsubj")


def _is_preposition(word: Word) -> bool:
    """Whether a word governs another as a preposition, the second of "due to" and "out of" included."""
    return word.dep in _PREPOSITIONS or (word.dep == "pcomp" and word.tag in {"IN", "TO"})
