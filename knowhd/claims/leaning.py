"""Whether a claim refers to something outside it: "it lowers B", "A blocks them", "this drug lowers B"."""

import re

from groundwork.linking import Mention
from groundwork.reading.tree import Tree, Word, parse
from knowhd.claims.clause import NOUNS, SUBJECTS
from knowhd.claims.verbs import plural

_MANY = frozenset({"they", "them", "their", "theirs"})
_PERSONAL = frozenset({"it", "its", "he", "him", "his", "she", "her"}) | _MANY
_POINTING = frozenset({"this", "these", "that", "those", "such", "both", "former", "latter"})
_TRIGGER = re.compile(rf"\b(?:{'|'.join(sorted(_PERSONAL | _POINTING))})\b", re.I)
_SLOTS = SUBJECTS | {"dobj", "pobj", "attr"}


def leans(text: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether a pronoun, or "this" with a noun, has nothing in front of it in the claim that it could refer to."""
    if not _TRIGGER.search(text):
        return False
    tree = parse(text, mentions)
    return any(_refers(tree, word) and not _told(tree, word) for word in tree.words)


def _refers(tree: Tree, word: Word) -> bool:
    """Whether a word stands for something that is named elsewhere."""
    said, governor, children = word.text.lower(), tree.words[word.head], tree.children(word)
    if said in _PERSONAL:
        complements = (child for each in (governor, *tree.children(governor)) for child in tree.children(each))
        return said != "it" or not any(child.dep in {"ccomp", "xcomp", "csubj"} for child in complements)
    if said not in _POINTING or word.tag not in {"DT", "PDT", "JJ", "NN"}:
        return False
    if word.dep in {"det", "amod"}:
        direct = governor.dep in _SLOTS - {"pobj"} or tree.words[governor.head].text in {"of", "by"}
        return said in {"this", "these", "such"} and governor.tag in NOUNS and direct and word.index < governor.index
    return word.dep in _SLOTS and not any(child.dep in {"relcl", "acl"} or child.text == "with" for child in children)


def _told(tree: Tree, word: Word) -> bool:
    """Whether a noun of the same number stands in front of a word, or the noun that it points with."""
    noun = tree.words[word.head] if word.dep in {"det", "amod"} else None
    own = word.dep in SUBJECTS | {"dobj", "pobj"}  # what a verb does to "it" it does not do to its own subject
    verb = next((each for each in tree.above(word)[1:] if each.dep not in {"prep", "agent", "pobj"}), word)
    before = [each for each in tree.words[: word.index] if each.tag in NOUNS]
    before = [each for each in before if not (own and each.dep in SUBJECTS and each.head == verb.index)]
    if noun is not None:
        return any(each.lemma == noun.lemma or each.text.lower().endswith(noun.text.lower()) for each in before)
    several = word.text.lower() in _MANY | {"these", "those", "both"}
    joined = any(each.dep == "conj" for each in before)
    return any(plural(each) == several for each in before) or (several and joined)
