"""What a sentence takes up from the one before it by "it" or "they", so that it can be read by itself.

A pronoun that is the subject means the subject of the sentence before, where that is one thing and of its number:
"Karnex was given. It lowered B." Of two things, or behind a thing that nobody marked, it stays what it is. And "it
did", behind a sentence that asks whether something is so, says that it is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from groundwork.linking import Mention
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.evidence.pieces import Passage

_PRONOUN = re.compile(r"(?:[A-Z][A-Z /&]{3,40}:\s*)?(?P<it>It|They)\b(?!\s+(?:is|was)\s+\w+\s+(?:that|to)\b)")
_ANSWER = re.compile(r"(?:It|They|This|That)\s+(?:did|does|do)(?P<no>\s+not|n['’]t)?(?:\s+so)?[.!]?$")
_ASKED = re.compile(r"\b(?:whether|if)\s+(?P<what>[^,;?]{1,400})[.?!]?$")


def read_alone(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The sentences of articles, as they are ordered, each with what it takes up from the one before it."""
    found: dict[tuple[int, int], Passage] = {}
    for passage in sorted(passages, key=lambda each: (each.pmid, each.number)):
        before = found.get((passage.pmid, passage.number - 1))
        alone = (_answered(passage, before) or _named(passage, before)) if before else passage
        found[passage.pmid, passage.number] = alone
    return tuple(found[passage.pmid, passage.number] for passage in passages)


def _answered(passage: Passage, before: Passage) -> Passage | None:
    """What "it did" says behind a sentence that asks; None where there is none such."""
    answer, asked = _ANSWER.match(passage.sentence), _ASKED.search(before.sentence)
    if answer is None or asked is None:
        return None
    front = f"It is {'not ' if answer['no'] else ''}true that "
    start, moved = asked.start("what"), len(front) - asked.start("what")
    inside = (m for m in before.mentions if start <= m.start and m.end <= asked.end("what"))
    mentions = tuple(replace(m, start=m.start + moved, end=m.end + moved) for m in inside)
    return replace(passage, sentence=f"{front}{asked['what'].rstrip('.')}.", mentions=mentions)


def _named(passage: Passage, before: Passage) -> Passage:
    """A sentence with its pronoun marked as what it means, where that is clear."""
    pronoun = _PRONOUN.match(passage.sentence)
    meant = _subject(before, several=pronoun["it"] == "They") if pronoun else None
    if pronoun is None or meant is None or any(m.start < pronoun.end("it") for m in passage.mentions):
        return passage
    start, end = pronoun.span("it")
    return replace(passage, mentions=(replace(meant, text=pronoun["it"], start=start, end=end), *passage.mentions))


def _subject(passage: Passage, *, several: bool) -> Mention | None:
    """The one thing that is the subject of a sentence; None where it is none that is marked, or of another number."""
    parsed = Masked(passage.sentence, passage.mentions)
    subject = next((token for token in parsed.doc if token.dep_ in SUBJECTS and token.head.dep_ == "ROOT"), None)
    if subject is None or list(subject.conjuncts):
        return None
    meant = [mention for mention in passage.mentions if subject in parsed.place(mention)]
    plural = meant[0].text.endswith("s") and not meant[0].text.isupper() if meant else False
    return meant[0] if len(meant) == 1 and plural == several else None
