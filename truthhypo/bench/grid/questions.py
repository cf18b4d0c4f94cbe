"""Questions turned into the statements they ask about, by rules on the parse: what has a yes or no can be judged.

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
    """Words by what they do.

    auxiliary; asked: what a form of `be` asks of its subject; verb: what small parsers take for nouns; before a noun:
    after it a word of the last two belongs to a noun.
    """
    lines = files("truthhypo.bench.grid").joinpath("questions.txt").read_text("utf-8").splitlines()
    return {kind: frozenset(words.split()) for kind, _, words in (line.partition(": ") for line in lines)}


def statement(question: str) -> str:
    """The statement that a question asks about; what is no question comes back as it is, with a full stop.

    Args:
        question: One line. Of several questions the first that can be turned counts.
    """
    text = " ".join(question.split()).strip(" \"'")
    if not text.endswith("?"):
        return text if text.endswith((".", "!")) else f"{text}."
    text = text.rstrip("? ")
    said = _turned(text) or _labelled(text)
    said = (said or text).strip(" ,;:?")
    return f"{said[:1].upper()}{said[1:]}."


def _labelled(text: str) -> str | None:
    """A topic and what is asked of it; where nothing is asked, the rest says what the topic is."""
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
    """A question that begins with its verb, with the subject before the verb."""
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
    """Words that come after the subject of a question with this auxiliary."""
    words = _words()
    if auxiliary in _DO:
        return words["verb"]
    return words["asked"] if auxiliary in {"is", "are", "was", "were", "am"} else words["asked"] | words["verb"]


def _before(rest: str, asked: frozenset[str]) -> str | None:
    """What stands before the first word that can only be asked of it."""
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
    """The words of the subject of a question that begins with its auxiliary, as they stand after it."""
    doc = parse(text)
    subjects = [word for word in doc if word.dep_ in _SUBJECTS and word.i > 0 and _main(word.head, doc)]
    if not subjects:
        return None
    last = max(word.i for word in _phrase(subjects[0]))
    return str(doc[1 : last + 1].text)


def _main(verb: "Token", doc: "Doc") -> bool:
    """Whether a word is what the question's auxiliary belongs to."""
    return bool(verb.i == 0 or verb.dep_ == "ROOT" or doc[0].head.i == verb.i)


def _phrase(head: "Token") -> list["Token"]:
    """A noun with what belongs to it, up to a clause or the verb."""
    return [word for word in head.subtree if word.i >= 1]


def _inflected(auxiliary: str, after: str) -> str:
    """`improve Y` after does, did or do: the verb takes over what the auxiliary says of number; time is let go."""
    words = after.split(" ")
    place = next((n for n, word in enumerate(words[:3]) if not word.endswith("ly")), 0)
    if auxiliary == "does":
        words[place] = _third(words[place])
    return " ".join(words)


def _third(verb: str) -> str:
    """The third person of a verb."""
    if verb.lower() in _IRREGULAR:
        return _IRREGULAR[verb.lower()]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in set("aeiou") else f"{verb}s"
