"""What a sentence says beyond that one thing does something to another: how much, in how many, always, only, more than.

Figures are found by `quantities`, comparisons by `comparisons`, single words here. What stands inside a name ("type 2
diabetes") or a condition ("only in women", see `conditional`) is no qualifier.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundwork.linking import Mention
from knowhd.claims.conditions import stretches
from knowhd.rules.assertion import meanings
from knowhd.rules.comparisons import Comparison, comparisons
from knowhd.rules.quantities import Quantity, quantities

_PART = (
    r"(?:\w+ )?(?:cause|driver|reason|source|regulator|treatment|therapy|drug|determinant|mediator|target|factor|"
    r"inhibitor|activator)"
)
#: "Only" before these belongs to a figure, a degree or a condition.
_NOT_ALONE = (
    r"\d|one|two|three|four|five|when|if|after|before|in|with|during|under|on|for|at|by|to|slight\w*|part\w*|modest\w*|"
    r"weak\w*|mild\w*|moderate\w*|minimal\w*|marginal\w*|recent\w*|now|a"
)
#: Words that make a sentence say more, by what they say; each is borne out by any of its line.
_SAYING: dict[str, str] = {
    "always": (
        r"always|invariably|inevitably|unfailingly|without (?:fail|exception)|in (?:all|every) (?:cases?|instances?)|"
        r"every time"
    ),
    "never": r"never|at no time|in no (?:case|instance)|under no circumstances?",
    "wholly": r"completely|entirely|totally|wholly|fully|absolutely|altogether",
    "only": (
        rf"(?<!not )(?<!if )(?<!did )(?:only(?! also\b)|solely|exclusively|uniquely|nothing but|no other|the sole)"
        rf"(?! (?:{_NOT_ALONE})\b)"
    ),
    "foremost": (
        rf"(?:the|its) (?:best|strongest|safest|worst|most \w+)|(?:main|leading|primary|chief|principal|major) {_PART}"
    ),
    "lasting": r"permanently|irreversibly|for (?:life|ever|good)|lifelong|forever",
    "at once": r"immediately|instantly|at once|instantaneously",
    "safely": r"safely|without (?:any )?(?:side effects?|adverse (?:effects?|events?)|harm|toxicity|risks?)",
    "directly": r"directly",
}
_KINDS = tuple(_SAYING)
_SAID = re.compile("|".join(rf"\b({words})\b" for words in _SAYING.values()), re.I)


@dataclass(frozen=True, slots=True)
class Word:
    """A word that makes a sentence say more.

    Attributes:
        text: It.
        start: Where it begins.
        kind: What it says: `always`, `only` and the like.
        of: The concepts that it stands right before; empty where it stands before none.
    """

    text: str
    start: int
    kind: str
    of: frozenset[str]

    def covers(self, other: "Word") -> bool:
        """Whether what the other says is what this one says: the same of the same."""
        alike = self.kind != "only" or not self.of or not other.of or bool(self.of & other.of)
        return self.kind == other.kind and alike


Qualifier = Quantity | Word | Comparison


def qualifiers(text: str, mentions: Iterable[Mention]) -> tuple[Qualifier, ...]:
    """The qualifiers of a sentence; a dose of nothing is none, since it says that the thing is absent."""
    named = tuple(mentions)
    closed = [(mention.start, mention.end) for mention in named] + list(stretches(text))
    found: list[Qualifier] = [each for each in quantities(text) if each.high > 0]
    found += [*_words(text, named), *comparisons(text, named)]
    return tuple(each for each in found if not any(start <= each.start < end for start, end in closed))


def _words(text: str, mentions: tuple[Mention, ...]) -> Iterator[Word]:
    for found in _SAID.finditer(text):
        behind = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())
        of = [frozenset(meanings(mention)) for mention in mentions if mention.start == behind]
        yield Word(found[0], found.start(), _KINDS[(found.lastindex or 1) - 1], of[0] if of else frozenset())
