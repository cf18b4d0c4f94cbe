"""From a parser's labels to one tree of words.

spaCy's English models speak ClearNLP labels (nsubjpass, dobj, prep + pobj); others speak Universal Dependencies
(nsubj:pass, obj, obl with a case marker, copulas below their noun). Both become one form here: ClearNLP's names, with
prepositions folded into the word they govern, so that "treated by donepezil" is treated -obl[by]-> donepezil.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fuzzygraph.triples.mending import lift_verbs, name_verbs, raise_participles, raise_subjects
from fuzzygraph.triples.syntax import Tree, Word

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NEGATIONS = frozenset({"not", "n't", "never"})
#: What belongs to the clause and not to the predicate noun below a copula.
_OF_THE_CLAUSE = frozenset({"nsubj", "csubj", "aux", "expl", "mark", "neg", "advcl", "punct"})
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
    name_verbs(words)
    _raise_copulas(words)
    _fold_cases(words)
    _fold_prepositions(words)
    raise_participles(words)
    lift_verbs(words)
    raise_subjects(words)
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


def _is_preposition(word: Word) -> bool:
    """Whether a word governs another as a preposition, the second of "due to" and "out of" included."""
    return word.dep in _PREPOSITIONS or (word.dep == "pcomp" and word.tag in {"IN", "TO"})
