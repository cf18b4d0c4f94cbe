"""Turn yes-or-no questions into statements, by rules on the grammatical parse of the question.

Does X improve Y?                      X improves Y.
Is X associated with Y?                X is associated with Y.
Is there a link between X and Y?       X is associated with Y.
Very high X: is it a cause of Y?       Very high X is a cause of Y.
X: a new risk factor for Y?            X is a new risk factor for Y.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from groundwork.language import parse

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DO = frozenset({"do", "does", "did"})
_PRONOUNS = frozenset({"it", "they", "this", "these", "he", "she", "them"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "csubj", "csubjpass", "expl", "attr"})
_BETWEEN = re.compile(
    r"^(?:is|are|was|were|does|do|did)\s+(?:there|a|an|any)\b(?P<no>\s+no)?.*?\b"
    r"(?:relationships?|relations?|associations?|correlations?|links?|connections?)\b(?:\s+exists?)?\s+"
    r"(?:between|of)\s+(?P<one>.+?)\s+(?:and|with|to)\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?P<topic>[^:?]{3,}?)\s*(?::|\s--?\s?|--|\.\s)\s*(?P<rest>\S.*)$")
_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is"}


@lru_cache(maxsize=1)
def _words() -> Mapping[str, frozenset[str]]:
    """Return the words of questions.txt by their role.

    auxiliary: verbs that begin a question. asked: words that follow the subject in a question with a form of `be`.
    verb: verbs that small parsers take for nouns. before a noun: a word of `asked` or `verb` that follows one of these
    words is read as part of a noun phrase, and does not end the subject.
    """
    lines = files("truthhypo.bench.grid").joinpath("questions.txt").read_text("utf-8").splitlines()
    return {kind: frozenset(words.split()) for kind, _, words in (line.partition(": ") for line in lines)}


def statement(question: str) -> str:
    """Return the question as a statement.

    A text that is not a question is returned with a full stop at its end, unless it ends in "." or "!".

    Args:
        question: A text with at most one question. It may begin with a topic, as in "topic: question".
    """
    text = " ".join(question.split()).strip(" \"'")
    if not text.endswith("?"):
        return text if text.endswith((".", "!")) else f"{text}."
    text = text.rstrip("? ")
    said = _turned(text) or _labelled(text)
    said = (said or text).strip(" ,;:?")
    return f"{said[:1].upper()}{said[1:]}."


def _labelled(text: str) -> str | None:
    """Return the statement in a text such as "topic: question" or "topic: description", or None for other texts."""
    parts = _LABEL.match(text)
    if parts is None:
        return None
    topic, rest = parts["topic"], parts["rest"]
    words = rest.split()
    if len(words) > 2 and words[0].lower() in _words()["auxiliary"] and words[1].lower().strip(",") in _PRONOUNS:
        return (
            _turned(" ".join([words[0], topic, *words[2:]]), given=topic) or f"{topic} {words[0]} {' '.join(words[2:])}"
        )
    turned = _turned(rest)
    if turned is not None:
        return turned
    if words[0].lower() in {"a", "an", "the", "another", "one"} or len(words) < 5:
        return f"{topic} is {rest}"
    return None


def _turned(text: str, given: str | None = None) -> str | None:
    """Return a question as a statement, by moving the subject before the auxiliary; None if this is not possible.

    `text` has no question mark. `given` is the subject, if it is known.
    """
    between = _BETWEEN.match(text)
    if between is not None:
        return f"{between['one']} is {'not ' if between['no'] else ''}associated with {between['other']}"
    first, _, rest = text.partition(" ")
    auxiliary = first.lower()
    if auxiliary not in _words()["auxiliary"] or not rest:
        return None
    subject = given or _before(rest, _asked_by(auxiliary)) or _subject(f"{text}?")
    if subject is None or not rest.startswith(subject):
        return None
    after = rest[len(subject) :].strip()
    if not after:
        return None
    if subject.lower() == "there":
        return f"there {auxiliary} {after}"
    if auxiliary not in _DO:
        return f"{subject} {auxiliary} {after}"
    if after.lower().startswith("not "):
        return f"{subject} {auxiliary} {after}"
    return f"{subject} {_inflected(auxiliary, after)}"


def _asked_by(auxiliary: str) -> frozenset[str]:
    """Return the words that mark the end of the subject in a question with this auxiliary."""
    words = _words()
    if auxiliary in _DO:
        return words["verb"]
    return words["asked"] if auxiliary in {"is", "are", "was", "were", "am"} else words["asked"] | words["verb"]


def _before(rest: str, asked: frozenset[str]) -> str | None:
    """Return the text before the first word that cannot belong to the subject; None if there is no such word."""
    words = rest.split(" ")
    for place, word in enumerate(words[1:], start=1):
        if (
            word.lower() in asked
            and words[place - 1].lower() not in _words()["before a noun"]
            and not words[place - 1].endswith(",")
        ):
            return " ".join(words[:place])
    return None


def _subject(text: str) -> str | None:
    """Return the subject of a question that begins with its auxiliary, by parsing the question."""
    doc = parse(text)
    subjects = [word for word in doc if word.dep_ in _SUBJECTS and word.i > 0 and _main(word.head, doc)]
    if not subjects:
        return None
    last = max(word.i for word in _phrase(subjects[0]))
    return str(doc[1 : last + 1].text)


def _main(verb: "Token", doc: "Doc") -> bool:
    """Return whether a word is the main verb, to which the auxiliary at the start of the question belongs."""
    return bool(verb.i == 0 or verb.dep_ == "ROOT" or doc[0].head.i == verb.i)


def _phrase(head: "Token") -> list["Token"]:
    """Return a noun and all words that depend on it, without the first word of the question."""
    return [word for word in head.subtree if word.i >= 1]


def _inflected(auxiliary: str, after: str) -> str:
    """Inflect the verb in a text such as `improve Y`: third person after `does`, unchanged after `do` and `did`."""
    words = after.split(" ")
    place = next((n for n, word in enumerate(words[:3]) if not word.endswith("ly")), 0)
    if auxiliary == "does":
        words[place] = _third(words[place])
    return " ".join(words)


def _third(verb: str) -> str:
    """Return the third person singular of a verb."""
    if verb.lower() in _IRREGULAR:
        return _IRREGULAR[verb.lower()]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in set("aeiou") else f"{verb}s"
