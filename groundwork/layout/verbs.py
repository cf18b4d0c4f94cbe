"""Decide whether a few words are a statement: whether they have a verb, a subject, and all that must follow."""

import re
from functools import lru_cache
from itertools import pairwise

from groundwork.language import parse
from groundwork.linking import Mention
from groundwork.reading.cues import category
from groundwork.reading.repair import parse_mended
from groundwork.reading.tree import SUBJECTS
from groundwork.word_lists import rows

_TENSED = frozenset({"VBZ", "VBP", "VBD", "MD"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "with", "for", "to", "and", "or", "by", ",", ".", ")", "(", ":"})
#: Maximum number of characters in which a verb is searched.
_READ = 300


def relates(word: str) -> bool:
    """Return whether a word, in any regular form, says how one thing affects another: "lowers", "blocked"."""
    return any(category(word[:end].lower()) for end in (None, -1, -2))


@lru_cache(maxsize=4096)
def says(text: str) -> bool:
    """Return whether a text has a verb with something before it. Few biomedical verbs are known to the parser."""
    tokens = [token for token in parse(text[:_READ]) if not token.is_space]
    if any(token.tag_ in _TENSED for token in tokens[1:]):
        return True
    inner = pairwise(tokens[1:])
    return any(relates(token.text) and other.text.lower() not in _BEHIND_NOUN for token, other in inner)


def unfinished(text: str) -> bool:
    """Return whether more must follow a text: it ends with a function word or with a verb that has no object."""
    last = re.search(r"[\w-]+$", text)
    if last is None:
        return text.endswith((",", "-", "\u2013", "\u2014", "/", "("))
    acts = re.search(r"[a-z](?:s|ed)$", last[0]) and last[0].islower() and relates(last[0])
    return last[0].lower() in function_words() or bool(acts and parse(f"{text[-_READ:]} it")[-2].tag_ in _TENSED)


def states(subject: str, said: str) -> bool:
    """Return whether words state something about a subject: "Aspirin", "treats headache"."""
    tree = parse_mended(f"{subject} {said[:_READ]}", [Mention(subject, 0, len(subject), None, None, 0.0)])
    who = tree.places[0]
    verb = tree.words[who.head]
    return who.dep in SUBJECTS and any(word.tag in _TENSED for word in (verb, *tree.children(verb)))


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Return words after which a sentence goes on, such as "of", "the" and "whether"."""
    english = (word for kind, word in rows("groundwork.reading", "function_words.tsv") if kind == "english")
    return frozenset(english) | {"whether", "if", "because"}
