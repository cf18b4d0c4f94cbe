"""How much, how many, how long: the quantities in a sentence, as intervals that can be held against each other.

"By 50 %", "in 40 of 50 adults", "twofold", "10 mg", "within two hours", "most patients". A figure bears another out if
it lies in the other's interval: 45 % does "more than 20 %", 90 minutes "within two hours".
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

_COUNTED = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty"
)
_TENS = "thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = {word: value for value, word in enumerate(_COUNTED.split("|"))}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split("|"), start=3)}
#: Words that are a share by themselves, in percent.
_PARTS = {"half": 50.0, "a third": 100 / 3, "two thirds": 200 / 3, "a quarter": 25.0, "three quarters": 75.0}
_FOLDS = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0}
#: Units by what they measure: minutes for times, milligrams for masses. Any other unit measures itself.
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("s", "sec", "second"), ("time", 1 / 60)),
    **dict.fromkeys(("min", "minute"), ("time", 1.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("time", 60.0)),
    **dict.fromkeys(("d", "day"), ("time", 1440.0)),
    **dict.fromkeys(("wk", "week"), ("time", 10080.0)),
    "month": ("time", 43830.0),
    **dict.fromkeys(("yr", "year"), ("time", 525960.0)),
    "ng": ("mass", 1e-6),
    **dict.fromkeys(("µg", "μg", "ug", "mcg"), ("mass", 1e-3)),
    "mg": ("mass", 1.0),
    **dict.fromkeys(("g", "gram"), ("mass", 1e3)),
    "kg": ("mass", 1e6),
    **dict.fromkeys(("copy", "copie"), ("copies", 1.0)),
}
#: Parts and portions that are counted.
_PORTIONS = (
    r"molecules?|monomers?|dimers?|tetramers?|subunits?|(?:binding )?sites?|domains?|residues?|alleles?|isoforms?|"
    r"doses?|injections?|infusions?|cycles?|courses?|tablets?|capsules?"
)
_OTHER_UNITS = (
    rf"{_PORTIONS}|"
    r"ml|dl|l|iu|units?|nm|[µμu]m|mm hg|mmhg|mm|mmol|nmol|[µμ]mol|kcal|points?|mg/kg|mg/dl|mg/l|g/dl|mmol/l|ng/ml"
)
_PEOPLE = (
    r"(?:adult|animal|athlete|carrier|case|cell|child|children|cohort|individual|infant|man|men|mice|mother|mouse|"
    r"neonate|participant|patient|people|person|rat|smoker|study|studies|subject|survivor|trial|tumou?r|user|"
    r"volunteer|woman|women)s?"
)
_OF_PEOPLE = rf"(?:\s*of)?(?:\s+(?:the|our|these|those|treated))?(?:\s+[\w-]+)?\s+{_PEOPLE}\b"
_OF_GROUPS = r"(?:\s+of)?(?:\s+the)?(?:\s+(?:age|study|treatment))?\s+(?:arm|group|subgroup)s?\b"
_NUMBER = rf"(?:\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+|\b(?:{'|'.join(_WORDS)})(?=\b|fold))"
_UNIT = rf"(?:{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})s?|{_OTHER_UNITS}"

_LEAST = r"more than|greater than|higher than|longer than|over|above|exceeding|at least|no less than|not less than|[>≥]"
_MOST = r"less than|fewer than|lower than|under|below|at most|no more than|not more than|up to|within|[<≤]"
_ABOUT = r"about|around|approximately|roughly|nearly|almost|some|circa|ca\.|~|≈"
_BOUND = rf"(?:(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<about>{_ABOUT}))\s*(?:the (?:first|next) )?"
_FRACTION = "|".join(_PARTS)


def _spaced(words: str) -> str:
    """A pattern for a verbose one, in which a space of its own stands for nothing."""
    return words.replace("\\ ", " ").replace(" ", r"\s+")


_QUANTITY = re.compile(
    rf"""(?<![\w.-])(?:{_spaced(_BOUND)})?(?:
      (?P<part>{_NUMBER})\s*(?:of|out\s+of|/)\s*(?:the\s+|all\s+)?(?P<whole>{_NUMBER})(?:\s+[\w-]+)?\s+{_PEOPLE}\b
    | (?P<low>{_NUMBER})(?:\s*(?:-|–|to|and)\s*(?P<high>{_NUMBER}))?[\s-]*(?:
          (?P<percent>%|per\s?cent\b)|(?P<fold>-?\s?fold\b|\s+times\b)|(?P<unit>{_spaced(_UNIT)})(?![\w/])|(?P<people>{_PEOPLE})\b)
    | (?P<halves>halv(?:e|es|ed|ing)\b|by\s+half\b)
    | (?P<multiple>(?:{"|".join(_FOLDS)})(?:e|es|ed|ing)\b)(?![\s-]+(?:blind|mask|mutant|negative|dummy|dose|therapy))
    | (?P<fraction>{_spaced(_FRACTION)})(?=(?P<offraction>{_OF_PEOPLE})?)\b
    | (?P<all>
        (?:all|every|each|any)\b(?:{_OF_PEOPLE}|{_OF_GROUPS})|every(?:one|body)\b|any(?:one|body)\b|^(?:all(?!\s+trans\b)|every)(?=\s)
      )
    | (?P<majority>(?:most|(?:the|a)\s+(?:vast\s+|large\s+)?majority)\b{_OF_PEOPLE}|^most(?=\s))
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_OLD = re.compile(r"[\s-]*(?:old\b|of\s+age\b)", re.I)
_AGED = re.compile(r"\b(?:aged?|older|younger)(?:\s+(?:than|over|under|of|between))?\s*$", re.I)
_SHARED = re.compile(r"\b(?:in|among|for|of)\s+(?:the\s+)?$", re.I)
_WHOSE = re.compile(_OF_PEOPLE, re.I)
_BY = re.compile(r"\b(?:by|to|a|an)\s*$", re.I)
#: What some words come to by themselves: what they measure, the least, and the most.
_FIXED: dict[str, tuple[str, float, float]] = {
    "halves": ("amount", 50.0, 50.0),
    "all": ("share", 100.0, 100.0),
    "majority": ("share", math.nextafter(50.0, math.inf), 100.0),
}
#: "About" and the like: a tenth more or less.
_ROUGHLY = 0.1


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity in a sentence.

    Attributes:
        text: Its words.
        start: Where they begin.
        end: After their last character.
        kind: What it measures: `share` of people and `amount` of a change in percent, `fold`, `time` in minutes, `mass`
            in milligrams, `people`, or a unit.
        low: The least that it may be.
        high: The most.
        slack: By how much another figure may miss the interval and still round to it.
    """

    text: str
    start: int
    end: int
    kind: str
    low: float
    high: float
    slack: float

    def covers(self, other: "Quantity") -> bool:
        """Whether what is as the other says is as this one says."""
        return self.kind == other.kind and self.low - self.slack <= other.low and other.high <= self.high + self.slack


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a sentence, in order; ages are none."""
    return tuple(_quantities(text))


def _quantities(text: str) -> Iterator[Quantity]:
    for found in _QUANTITY.finditer(text):
        before = text[: found.start()]
        if found["unit"] and (_OLD.match(text, found.end()) or _AGED.search(before)):
            continue
        kind, low, high, slack = _measured(found, before, text[found.end() :])
        if found["least"] and not (kind == "time" and found["least"].lower() == "over"):  # "over two years" is during
            low, high, slack = (
                math.nextafter(low, math.inf) if _strict(found["least"]) else low,
                100.0 if kind == "share" else math.inf,
                0.0,
            )
        elif found["most"]:
            low, high, slack = 0.0, math.nextafter(high, -math.inf) if _strict(found["most"]) else high, 0.0
        elif found["about"]:
            slack = max(slack, _ROUGHLY * high)
        yield Quantity(found[0].strip(), found.start(), found.end(), kind, low, high, slack)


def _measured(found: re.Match[str], before: str, behind: str) -> tuple[str, float, float, float]:
    """What a quantity measures, from how much to how much, and by how much it is rounded; without its bounds."""
    for group, (kind, low, high) in _FIXED.items():
        if found[group]:
            return kind, low, high, 0.0
    if found["part"]:
        share = 100 * _value(found["part"]) / max(1.0, _value(found["whole"]))
        return "share", share, share, 0.5
    if found["multiple"]:
        fold = next(value for stem, value in _FOLDS.items() if found["multiple"].lower().startswith(stem))
        return "fold", fold, fold, 0.0
    if found["fraction"]:
        part = _PARTS[found["fraction"].lower()]
        return "share" if found["offraction"] else "amount", part, part, 0.5
    return _counted(found, before, behind)


def _counted(found: re.Match[str], before: str, behind: str) -> tuple[str, float, float, float]:
    """The same of a number with what it counts behind it."""
    low, high, slack = _value(found["low"]), _value(found["high"] or found["low"]), _rounding(found["low"])
    if found["percent"]:
        shared = not _BY.search(before) and (_SHARED.search(before) or _WHOSE.match(behind))
        return "share" if shared else "amount", low, high, slack
    if found["fold"]:
        return "fold", low, high, slack
    if found["people"]:
        return "people", low, high, 0.0
    unit = found["unit"].lower()
    kind, factor = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s")) or (unit.removesuffix("s"), 1.0)
    return kind, low * factor, high * factor, 0.0


def _value(number: str) -> float:
    return float(_WORDS.get(number.lower(), number.replace(",", "")))


def _rounding(number: str) -> float:
    """Half a unit of a number's last place."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def _strict(bound: str) -> bool:
    return bound.lower().endswith((" than", "over", "above", "under", "below", "exceeding", ">", "<")) and not (
        bound.lower().startswith("no")
    )
