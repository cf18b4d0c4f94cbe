"""Find the number of participants that an abstract states: "n = 120 patients", "We enrolled 1,204 adults".

Participants are the people who were studied, controls included. The first sentence of the methods with a number of
people counts, otherwise the first such sentence. Of labelled results, only the first sentence is read, because later
ones count outcomes. A background is not read, because it counts people who were not studied. Of 50 abstracts of
PubMedQA that were labelled by hand and not used to write the rules, 44 are read right.
"""

import re
from collections.abc import Mapping, Sequence

from groundwork.language import sentences
from groundwork.study import sections

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_ONES += " eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: n for n, word in enumerate(_ONES.split())}
_NUMBERS |= {word: 10 * n for n, word in enumerate(_TENS.split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000}

_PEOPLE_WORDS = (
    "adolescents adults aides athletes beneficiaries boys caregivers carers carriers cases children citizens"
    " clinicians controls couples dentists doctors donors drivers employees experts families fathers females"
    " formers girls humans individuals infants inhabitants inmates inpatients males members men mothers neonates"
    " newborns nurses outpatients parents participant participants patient patients people persons pharmacists"
    " physicians players practitioners probands providers pupils recipients relatives residents respondents"
    " schoolchildren seniors siblings smokers soldiers students subject subjects surgeons survivors teachers"
    " teenagers toddlers trainees twins users veterans volunteers women workers youths"
)
_PEOPLE = frozenset(_PEOPLE_WORDS.split())
#: Words between a number and its noun end the search for the noun. Adjectives and nouns do not.
_ENDS_WORDS = "are at by died for from had has have in is of on or per than that to was were which who with"
_ENDS = frozenset(_ENDS_WORDS.split())
#: Words after a number that does not count people.
_UNITS_WORDS = (
    "billion centers centres countries day days hospitals hour hours million minutes month months percent"
    " times week weeks year years"
)
_UNITS = frozenset(_UNITS_WORDS.split())
#: Words after the number of those people of a larger group who were studied: "55 were included".
_CHOSEN = re.compile(
    r"(?:\([^()]*\) )?(?:were|was) (?:finally |then |eventually )?"
    r"(?:analy[sz]ed|enrolled|included|recruited|randomi[sz]ed|studied)\b|participated\b",
    re.IGNORECASE,
)
#: Words between two groups of people of which the second is a part of the first, or was counted before.
_PARTS_WORDS = "after allocated assigned divided had including into received then underwent was were who whom"
_PARTS = frozenset(_PARTS_WORDS.split())
#: The number of words that a noun may stand behind its number, and "(n = 12)" behind its noun.
_NEAR, _FAR = 8, 25

_TOKEN = re.compile(
    r"\d{1,3}(?:[,\u2009\u00a0 ]\d{3})+(?![\d.%])|\d+(?:[.,·]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\s\w]"
)
_WHOLE = re.compile(r"\d{1,3}(?:[,\u2009\u00a0 ]\d{3})+|\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BEFORE_YEAR_WORDS = (
    "after and before between during from in since through to until january february march april may june july"
    " august september october november december"
)
_BEFORE_YEAR = frozenset(_BEFORE_YEAR_WORDS.split())
#: What comes before a number that counts no participants: "p = 4", "mean ± 2", "by two surgeons".
_BEFORE_OTHER = frozenset((*"±<>≥≤-–/=", "by"))

#: The whole numbers of a sentence: the place of the last word and the value of each, by the place of its first word.
_Numbers = Mapping[int, tuple[int, int]]


def participants(abstract: str) -> int | None:
    """Return the number of participants that an abstract states; None if it states none, or fewer than two."""
    told = sentences(abstract)
    places = sections(abstract, (sentence.start for sentence in told))
    other = None
    for sentence, section, before in zip(told, places, [None, *places], strict=False):
        if section == "background" or (section == before == "results"):
            continue
        if not (found := _counted(sentence.text, methods=section == "methods")):
            continue
        if section == "methods":
            return found
        other = other or found
    return other


def _counted(sentence: str, *, methods: bool) -> int:
    """Return the number of people that a sentence counts; 0 if it counts none."""
    tokens = list(_TOKEN.finditer(sentence))
    words = [token[0].lower() for token in tokens]
    numbers = _numbers(words)
    for end, value in numbers.values():
        follows = end + 1 + (words[end + 1 : end + 2] != [] and words[end + 1] in _PEOPLE)
        if value > 1 and follows < len(words) and _CHOSEN.match(sentence, tokens[follows].start()):
            return value
    found = [
        (start, noun, value) for start, (end, value) in numbers.items() if (noun := _noun(words, numbers, end + 1))
    ]
    groups = [(start, noun, value) for start, noun, value in found if value > 1 and not _is_share(words, noun)]
    if not groups:
        return sum(value for start, (_, value) in numbers.items() if _is_sample(words, start))
    if methods:
        groups = [_part(words, numbers, *group) for group in groups]
    total, last = groups[0][2], groups[0][1]
    for start, noun, value in groups[1:]:
        between = words[last + 1 : start]
        if noun != last and (
            between[-1:] not in (["and"], [","], ["with"], ["plus"]) or not _PARTS.isdisjoint(between)
        ):
            break
        total, last = total + value, noun
    return total


def _numbers(words: Sequence[str]) -> _Numbers:
    found = dict[int, tuple[int, int]]()
    place = 0
    while place < len(words):
        if _WHOLE.fullmatch(words[place]):
            before = words[place - 1] if place else ""
            year = before in _BEFORE_YEAR and _YEAR.fullmatch(words[place])
            if _is_n(words, place) or not (year or before in _BEFORE_OTHER):
                found[place] = place, int(re.sub(r"\D", "", words[place]))
            place += 1
            continue
        value, end = _spelled(words, place)
        if end > place and (place == 0 or words[place - 1] not in _BEFORE_OTHER):
            found[place] = end - 1, value
        place = max(end, place + 1)
    return found


def _spelled(words: Sequence[str], start: int) -> tuple[int, int]:
    """Return the number in words that begins at a place, and the place after it, which is `start` without a number."""
    total = part = 0
    place = end = start
    while place < len(words):
        pieces = words[place].split("-")
        if words[place] == "and" and end == place and part and part % 100 == 0:
            place += 1
            continue
        if not all(piece in _NUMBERS or piece in _SCALES for piece in pieces):
            break
        for piece in pieces:
            if piece == "thousand":
                total, part = total + max(part, 1) * 1000, 0
            elif piece == "hundred":
                part = max(part, 1) * 100
            else:
                part += _NUMBERS[piece]
        place = end = place + 1
    return total + part, end


def _noun(words: Sequence[str], numbers: _Numbers, start: int) -> int | None:
    """Return the place of the noun for people that a number counts, which ends before `start`; None without one.

    Words in brackets are skipped. In "14 younger and 16 older women", both numbers count women.
    """
    if words[start : start + 1] and words[start] in _UNITS:
        return None
    place = start
    while place < min(start + _NEAR, len(words)):
        word = words[place]
        if word.rpartition("-")[2] in _PEOPLE:
            return place
        if word == "(" and ")" in words[place : place + _NEAR] and place > start:
            place = words.index(")", place) + 1
            continue
        if place in numbers:
            joined = place > start and words[place - 1] in {"and", ","}
            return _noun(words, numbers, numbers[place][0] + 1) if joined else None
        if word in _ENDS or not (word[0].isalpha() or word == ","):
            return None
        place += 1
    return None


def _part(words: Sequence[str], numbers: _Numbers, start: int, noun: int, value: int) -> tuple[int, int, int]:
    """Return the group of "90 of 107 women" in the methods: the 90 women who were studied. Other groups stay."""
    for first, (end, part) in numbers.items():
        if end + 2 == start and words[end + 1] == "of":
            return first, noun, part
    return start, noun, value


def _is_share(words: Sequence[str], noun: int) -> bool:
    """Return whether people are a share of the participants: "three patients (5%)"."""
    after = words[noun + 1 : noun + 3]
    return len(after) == 2 and after[0] == "(" and after[1].endswith("%")


def _is_n(words: Sequence[str], place: int) -> bool:
    return place > 1 and words[place - 1] == "=" and words[place - 2] == "n"


def _is_sample(words: Sequence[str], place: int) -> bool:
    """Return whether a number is that of "n = 12" or "the number was 12" behind a noun for people."""
    near = _FAR if _is_n(words, place) else 3 if place and words[place - 1] == "was" else 0
    return not _PEOPLE.isdisjoint(words[max(0, place - near) : place])
