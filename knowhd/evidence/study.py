"""What a study gave and of whom it was, for the sentences of its results that name only what came of it.

"Sixty adults received zorbafen. ... Serum urate fell by 20 %." says that urate fell with zorbafen, in two sentences. A
reader knows it because the study gave one thing; where it gave several, or set one against another, no sentence is read
so, nor is one that speaks of its controls or names who did it.

"We randomised 120 patients with sepsis. ... Mortality was lower with zorbafen." is of sepsis: an outcome is one of the
disease that those have who were studied, if that is one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.evidence.pieces import Passage
from knowhd.rules.groups import UNTREATED

if TYPE_CHECKING:
    from spacy.tokens import Token

_GIVEN = (
    r"(?:randomi[sz]ed|randomly|assigned|allocated|treated|given|administered|injected|fed|gavaged|infused|exposed|incubated|"
    r"cultured|perfused|supplemented|pretreated|dosed|started|switched)"
)
#: Behind it stands what was given, as the authors tell of what they did: in the past.
_GIVING = re.compile(
    rf"\b(?:received|took|(?:was|were)\s+(?:\w+ly\s+)?{_GIVEN}|(?:we|and)\s+(?:treated|gave|exposed|incubated|injected|"
    rf"administered|randomi[sz]ed|assigned)|(?:treated|incubated|injected|infused)\s+with)\b",
    re.I,
)
#: Behind what was given to somebody.
_BEING_GIVEN = re.compile(
    r"^(?:\s*\([^()]{0,80}\)|\s+\d[\w./%-]*(?:\s+\w+){0,3})?,?\s+(?:was|were)\s+(?:\w+ly\s+)?(?:given|administered|injected|"
    r"infused|added|started)\b",
    re.I,
)
#: Those who were given nothing, something that does nothing, or what all are given.
_CONTROL = rf"(?:{UNTREATED}|usual|standard)"
_CONTROLS = re.compile(rf"\b{_CONTROL}\b", re.I)
_THAN = re.compile(r"\b(?:than|compared\s+(?:with|to)|versus|vs\.?|relative\s+to|from)\s", re.I)
#: Right behind what was given, with its dose: something else is given beside or instead.
_DOSE = r"(?:\s*\([^()]{0,80}\)|\s+\d[\w./%-]*(?:\s+(?!(?:and|or|plus)\b)\w+){0,2})?"
_BESIDE = r"(?:or|and|plus|versus|vs\.?|combined\s+with|followed\s+by|then)"
_AND_MORE = re.compile(rf"^{_DOSE},?\s+{_BESIDE}\s+(?!(?:an?\s+|the\s+|matching\s+)*{_CONTROL}\b)(?!\d)", re.I)
#: A study takes in those of whom it is.
_STUDYING = re.compile(
    r"\b(?:randomi[sz]ed|randomly|assigned|allocated|enrol+ed|recruited|studied|included|received|treated|compared|"
    r"genotyped|typed|sequenced|measured|followed|participated|underwent|examined|analy[sz]ed|investigated|given)\b",
    re.I,
)
#: Before the disease of those who are studied.
_WITH = re.compile(
    r"\b(?:patients|adults|(?:wo)?men|children|infants|people|persons|subjects|participants|individuals|volunteers)\s"
    r"(?:with|(?:who|that)\shad|having|suffering\sfrom)\s(?:[\w-]+\s){0,3}$",
    re.I,
)
#: Patients of whom no more is said.
_BARE = re.compile(
    r"\b(?:patients|cases)\b"
    r"(?!['’\s-]{1,3}(?:with|without|whos?e?|that|treat\w*|given|assigned|receiv\w+|tak\w+|on|of|in|under|not)\b)",
    re.I,
)
#: How they fared.
_OUTCOME = re.compile(
    r"\b(?:mortality|deaths?|survival|survived|relapses?|recurrences?|remissions?|respon(?:se|der)s?|"
    r"(?:in)?effective|efficacy|progression|recover(?:y|ed))\b",
    re.I,
)
_LABEL = re.compile(r"^[A-Z][A-Z /&]{3,40}:\s*")
#: What a change is told by, and below it, who or what did it or had it done.
_CHANGING = frozenset({"VERB", "AUX"})
_BY = frozenset({"agent", "dobj"})


def of_study(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The sentences of one article, those of its results with what it gave and of whom it was.

    Args:
        passages: In order, from the title on.

    Returns:
        The same, with `Passage.given` and `Passage.ill` where they are told elsewhere.
    """
    gave = _sole((number, mention) for number, passage in enumerate(passages) for mention in _given(passage))
    had = _sole((number, mention) for number, passage in enumerate(passages) for mention in _studied(passage))
    return tuple(
        replace(
            passage,
            given=gave[1] if gave and number > gave[0] and _is_result(passage, gave[1]) else None,
            ill=had[1] if had and number > had[0] and _is_outcome(passage) else None,
        )
        for number, passage in enumerate(passages)
    )


def _sole(told: Iterable[tuple[int, Mention]]) -> tuple[int, Mention] | None:
    """What several places of an article tell, and the number of the first sentence, if they all tell the same."""
    found = list(told)
    keys = {mention.key for _, mention in found}
    return found[0] if len(keys) == 1 and None not in keys else None


def completed(passage: Passage) -> tuple[str, tuple[Mention, ...]]:
    """A sentence and its mentions, with what the study gave in front where it names only what came of it.

    So with the disease of those who were studied, or behind the "patients" who are set against controls.
    """
    text, mentions = passage.sentence, passage.mentions
    if passage.ill is not None and (patients := _BARE.search(text)):
        text, mentions = _inserted(text, mentions, patients.end(), " with ", passage.ill)
    elif passage.ill is not None:
        text, mentions = _in_front(text, mentions, "In ", passage.ill)
    return (text, mentions) if passage.given is None else _in_front(text, mentions, "With ", passage.given)


def _in_front(text: str, mentions: Sequence[Mention], word: str, what: Mention) -> tuple[str, tuple[Mention, ...]]:
    """A sentence without its label, with a word and a name in front of it."""
    label = _LABEL.match(text)
    cut = label.end() if label else 0
    rest = text[cut:]
    plain = re.match(r"[A-Z][a-z]+(?:[\s,-]|$)", rest) and not any(m.start == cut for m in mentions)
    kept = [replace(m, start=m.start - cut + 2, end=m.end - cut + 2) for m in mentions if m.start >= cut]
    return _inserted(", " + (rest[:1].lower() + rest[1:] if plain else rest), kept, 0, word, what)


def _inserted(
    text: str, mentions: Sequence[Mention], at: int, word: str, what: Mention
) -> tuple[str, tuple[Mention, ...]]:
    """A sentence with a word and a name put in at a place."""
    own = replace(what, start=at + len(word), end=at + len(word) + len(what.text))
    more = own.end - at
    moved = [replace(m, start=m.start + more, end=m.end + more) if m.start >= at else m for m in mentions]
    return text[:at] + word + what.text + text[at:], tuple(sorted([own, *moved], key=lambda m: m.start))


def _given(passage: Passage) -> Iterator[Mention]:
    """The chemicals that a sentence says were given; one without a key for anything else that was."""
    text = passage.sentence
    drugs = [m for m in passage.mentions if m.key and m.key.startswith("Chemical")]
    giving = _GIVING.search(text)
    behind = [m for m in drugs if giving and m.start >= giving.end()]
    yield from behind or (m for m in drugs if _BEING_GIVEN.match(text[m.end :]))
    if behind and _others(text, behind):
        yield Mention("", 0, 0, None, None, 0.0)


def _studied(passage: Passage) -> Iterator[Mention]:
    """The diseases of those whom a sentence says were studied."""
    if _STUDYING.search(passage.sentence) and not lexicon.OPEN.search(passage.sentence):
        yield from (m for m in passage.mentions if _is_disease(m) and _WITH.search(passage.sentence[: m.start]))


def _is_outcome(passage: Passage) -> bool:
    """Whether a sentence tells how those who were studied fared, or sets patients against controls, by no disease."""
    text = passage.sentence
    if not passage.mentions or any(map(_is_disease, passage.mentions)) or lexicon.OPEN.search(text):
        return False
    compared = _BARE.search(text) is not None and _CONTROLS.search(text) is not None
    return compared or (_GIVING.search(text) is None and _OUTCOME.search(text) is not None)


def _is_disease(mention: Mention) -> bool:
    return mention.key is not None and split_key(mention.key)[0] == "Disease"


def _others(text: str, named: Sequence[Mention]) -> bool:
    """Whether something that is not among what is named is joined to it, which may have been given too."""
    starts = {m.start for m in named}
    for m in named:
        behind = _AND_MORE.search(text[m.end :])
        if behind is not None and m.end + behind.end() not in starts:
            return True
    return False


def _is_result(passage: Passage, given: Mention) -> bool:
    """Whether a sentence says of something named that it changed, and not by whom or what."""
    text = passage.sentence
    if not passage.mentions or any(m.key == given.key for m in passage.mentions) or _GIVING.search(text):
        return False
    than = _THAN.search(text)
    if _CONTROLS.search(text, 0, than.start() if than else len(text)) or lexicon.OPEN.search(text):
        return False
    root = next(iter(parse(_LABEL.sub("", text)).sents)).root
    return root.pos_ in _CHANGING and _changes(root)


def _changes(root: "Token") -> bool:
    """Whether a predicate says that its subject is more, less or the same, without anybody who did it."""
    children = list(root.children)
    if not any(child.dep_ in SUBJECTS for child in children) or any(child.dep_ in _BY for child in children):
        return False
    past = "Past" in root.morph.get("Tense") or any("Past" in child.morph.get("Tense") for child in children)
    said = [root, *(child for child in children if child.dep_ in {"acomp", "attr", "advmod", "oprd"})]
    return past and any(lexicon.sign_of(token.lemma_) or lexicon.sign_of(token.lower_) for token in said)
