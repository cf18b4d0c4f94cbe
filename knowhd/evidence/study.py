"""What a study gave, for the sentences of its results that name only what came of it.

"Sixty adults received zorbafen. ... Serum urate fell by 20 %." says that urate fell with zorbafen, in two sentences. A
reader knows it because the study gave one thing; where it gave several, or set one against another, no sentence is read
so, nor is one that speaks of its controls or names who did it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.evidence.pieces import Passage

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
#: Those who were given nothing, or something that does nothing.
_CONTROL = r"(?:placebos?|controls?|vehicle|sham|saline|untreated|no\s+treatment|usual|standard|healthy|non-?users?)"
_CONTROLS = re.compile(rf"\b{_CONTROL}\b", re.I)
_THAN = re.compile(r"\b(?:than|compared\s+(?:with|to)|versus|vs\.?|relative\s+to|from)\s", re.I)
#: Right behind what was given, with its dose: something else is given beside or instead.
_DOSE = r"(?:\s*\([^()]{0,80}\)|\s+\d[\w./%-]*(?:\s+(?!(?:and|or|plus)\b)\w+){0,2})?"
_BESIDE = r"(?:or|and|plus|versus|vs\.?|combined\s+with|followed\s+by|then)"
_AND_MORE = re.compile(rf"^{_DOSE},?\s+{_BESIDE}\s+(?!(?:an?\s+|the\s+|matching\s+)*{_CONTROL}\b)(?!\d)", re.I)
_LABEL = re.compile(r"^[A-Z][A-Z /&]{3,40}:\s*")
#: What a change is told by, and below it, who or what did it or had it done.
_CHANGING = frozenset({"VERB", "AUX"})
_BY = frozenset({"agent", "dobj"})


def of_study(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The sentences of one article, those of its results with what the study gave (`Passage.given`).

    Args:
        passages: In order, from the title on.
    """
    told = [(number, mention) for number, passage in enumerate(passages) for mention in _given(passage)]
    keys = {mention.key for _, mention in told}
    if len(keys) != 1 or None in keys:
        return tuple(passages)
    first, what = told[0]
    return tuple(
        replace(passage, given=what) if number > first and _is_result(passage, what) else passage
        for number, passage in enumerate(passages)
    )


def completed(passage: Passage) -> tuple[str, tuple[Mention, ...]]:
    """A sentence and its mentions, with what the study gave in front where it names only what came of it."""
    if passage.given is None:
        return passage.sentence, passage.mentions
    label = _LABEL.match(passage.sentence)
    cut = label.end() if label else 0
    rest = passage.sentence[cut:]
    plain = re.match(r"[A-Z][a-z]+(?:[\s,-]|$)", rest) and not any(m.start == cut for m in passage.mentions)
    front = f"With {passage.given.text}, "
    start, moved = len("With "), len(front) - cut
    own = replace(passage.given, start=start, end=start + len(passage.given.text))
    kept = (replace(m, start=m.start + moved, end=m.end + moved) for m in passage.mentions if m.start >= cut)
    return front + (rest[:1].lower() + rest[1:] if plain else rest), (own, *kept)


def _given(passage: Passage) -> Iterator[Mention]:
    """The chemicals that a sentence says were given; one without a key for anything else that was."""
    text = passage.sentence
    drugs = [m for m in passage.mentions if m.key and m.key.startswith("Chemical")]
    giving = _GIVING.search(text)
    behind = [m for m in drugs if giving and m.start >= giving.end()]
    yield from behind or (m for m in drugs if _BEING_GIVEN.match(text[m.end :]))
    if behind and _others(text, behind):
        yield Mention("", 0, 0, None, None, 0.0)


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
