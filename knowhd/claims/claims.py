"""A text as atomic claims, each with the sentence it came from and the concepts it names (paper A, section 3)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from groundwork.contrast import halves
from groundwork.language import Sentence
from groundwork.linking import Linker, Mention
from groundwork.records import Record
from groundwork.stretches import Places
from knowhd import lexicon
from knowhd.claims.clauses import Statement, statements
from knowhd.claims.denial import denied
from knowhd.claims.lines import lines
from knowhd.claims.masked import Masked
from knowhd.claims.means import both
from knowhd.claims.reasons import LEANING, sides
from knowhd.claims.verbs import doings

#: What only says which part of a text follows.
_LETTERS = re.compile(r"[^\W\d_]{2}")
_LABEL = re.compile(r"^(?:hypothesis|rationale|reasoning|conclusions?|results?|background|answer|claim)\s*:\s*", re.I)
#: A claim that begins like this leans on what stood before it; "it is known that" holds only the place.
_DANGLING = re.compile(
    r"(?:they|he|she|this|these|those|its|their|his|her|such)\b|it\b(?!\s+\w+(?:\s+\w+){1,3}\s+(?:that|to|whether)\b)|"
    r".*\b(?:it|them|each other's)[.!]?$",
    re.IGNORECASE,
)
#: After a name: what may be a verb, and what a small parser may take for a noun.
_ACTS = re.compile(r"\s+[a-z]+s\b(?! of\b)")


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """One claim of a text.

    Attributes:
        text: Self-contained words.
        sentence: The sentence it came from; the whole text where a model named none.
        span: Where that sentence stands in the text: offsets of its first character and after its last.
        concepts: Keys of the concepts it names, in order, each once.
        flags: `pronoun_resolved`, `pronoun_unresolved` (it does not stand by itself), `ambiguous` (a name that may
            mean another concept), `untraced` (a model's claim that is not in the sentence it names), `added` (it
            names a concept or a number that the text does not), `undivided` (the model failed to take the text
            apart: the sentence stands as it is).
        mentions: Where it names them.
    """

    text: str
    sentence: str
    span: tuple[int, int]
    concepts: tuple[str, ...]
    flags: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = field(default=(), metadata={"private": True})


class Claims(Protocol):
    """Takes a text apart into claims."""

    def extract(self, text: str) -> tuple[Claim, ...]:
        """The claims of a text, in order; none if it claims nothing."""


class RuleClaims:
    """Claims by rules on the parse: deterministic, no language model, no limit on their number.

    Args:
        linker: Finds the concepts.
    """

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def extract(self, text: str) -> tuple[Claim, ...]:
        """The claims of a text: its statements, one predicate, subject and object each; questions claim nothing."""
        known = short_forms(self._linker.mentions(text))
        before: Statement | None = None
        found: list[Claim] = []
        told = [line for line in lines(text, questions=False) if _LETTERS.search(line[0].text)]
        for line, flags in told:
            for statement in self._statements(_LABEL.sub("", " ".join(line.text.split())), known, before):
                found.append(linked(statement.text, line, (*statement.flags, *flags), self._linker, known))
                before = statement
        return tuple(found)

    def _statements(self, text: str, known: tuple[Mention, ...], before: Statement | None) -> Iterator[Statement]:
        """The statements of a sentence, part by part."""
        for part in self._parts(text, known):
            for statement in self._apart(part, known, before):
                before = statement
                yield statement

    def _apart(self, text: str, known: tuple[Mention, ...], before: Statement | None) -> list[Statement]:
        """The statements of the two sides of a part, where each stands by itself; else of the part as one."""
        pair = sides(text, lambda side: self._readings(side, known))
        pair = pair or next(filter(None, map(both, self._readings(text, known))), None)
        found: list[Statement] = []
        for side in pair or ():
            made = self._apart(side, known, found[-1] if found else before)
            if not made or any(s.pronoun == "unresolved" or (found and LEANING.search(s.text)) for s in made):
                found = []
                break
            found += made
        return found or list(self._halved(text, known, before))

    def _halved(self, text: str, known: tuple[Mention, ...], before: Statement | None) -> Iterator[Statement]:
        """The statements of a part; of one that sets a thing against another, what it says and what it denies."""
        places = [(mention.start, mention.end) for mention in _mentions(text, self._linker, known)]
        said: set[str] = set()
        for half in halves(text, places):
            # Its other clauses stand in a denied half too, as they were said.
            new = [s for s in self._plain(half.of(text), known, before) if s.text not in said]
            for statement in new:
                if not half.denied:
                    said.add(statement.text)
                    before = statement
                    yield statement
                    continue
                # A pronoun that follows means what something was said of, not what it was denied of.
                about = before or statement
                words = denied(self._read(statement.text, known), plural=statement.plural)
                yield replace(statement, text=words, subject=about.subject, plural=about.plural)

    def _parts(self, text: str, known: tuple[Mention, ...]) -> list[str]:
        """The parts between semicolons where each says something by itself, else the sentence whole."""
        parts = re.split(r";\s+", text)
        apart = len(parts) > 1 and all(statements(self._read(p, known)) for p in parts)
        return [*(f"{part}." for part in parts[:-1]), parts[-1]] if apart else [text]

    def _plain(self, text: str, known: tuple[Mention, ...], before: Statement | None) -> list[Statement]:
        """The statements of a sentence; what a resolved pronoun brought in is taken apart in its turn."""
        if pair := doings(text, lambda side: self._readings(side, known)):
            first = self._plain(pair[0], known, before)
            return first + self._plain(pair[1], known, first[-1] if first else before)
        parsed = self._read(text, known)
        found: list[Statement] = []
        for statement in statements(parsed, before):
            if statement.pronoun != "resolved":
                found.append(statement)
                continue
            again = statements(self._read(statement.text, known), None)
            found += [replace(statement, text=part.text, crowded=statement.crowded or part.crowded) for part in again]
        if not found and _telling(text, parsed.mentions):
            return [Statement(text)]
        return found

    def _read(self, text: str, known: tuple[Mention, ...]) -> Masked:
        return Masked(text, _mentions(text, self._linker, known))

    def _readings(self, text: str, known: tuple[Mention, ...]) -> Iterator[Masked]:
        """The text parsed, and parsed with "It" for a name before what may be a verb."""
        mentions = _mentions(text, self._linker, known)
        yield Masked(text, mentions)
        if mentions and mentions[0].start == 0 and _ACTS.match(text, mentions[0].end):
            yield Masked(text, mentions, "It")


def linked(
    text: str, sentence: Sentence, flags: tuple[str, ...], linker: Linker, known: tuple[Mention, ...] = ()
) -> Claim:
    """A claim with the concepts it names.

    Args:
        text: The claim's words.
        sentence: Where it came from.
        flags: What is to be said about it.
        linker: Finds the concepts.
        known: Short forms of the whole text (`short_forms`), which hold in the claim too.
    """
    mentions = _mentions(text, linker, known)
    keys = dict.fromkeys(mention.key for mention in mentions if mention.key)
    doubt = ("ambiguous",) if any(mention.ambiguous for mention in mentions) else ()
    if _DANGLING.match(text) and not any(flag.startswith("pronoun_") for flag in flags):
        doubt = ("pronoun_unresolved", *doubt)
    return Claim(text, sentence.text, (sentence.start, sentence.end), tuple(keys), (*flags, *doubt), mentions)


def _mentions(text: str, linker: Linker, known: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """The mentions in a part of a text, with the short forms that the text defines elsewhere."""
    found, places = list(linker.mentions(text)), Places(text)
    for short in known:
        for start, end in places.of(short.text) if short.text in text else ():
            inside = [m for m in found if m.start <= start and end <= m.end]
            if all((m.start, m.end) == (start, end) for m in inside):
                found = [m for m in found if m not in inside]
                found.append(replace(short, start=start, end=end))
    return tuple(sorted(found, key=lambda mention: mention.start))


def short_forms(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """One mention of each short form that a text defines."""
    return tuple({mention.text: mention for mention in mentions if mention.how == "abbreviation"}.values())


def _telling(text: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether a sentence whose predicate the parser missed still says something.

    It has a word that relates or changes things, and either two concepts, or three words and a full stop: headings
    have none.
    """
    words = re.findall(r"[\w-]+", text)
    tables = (lexicon.RELATING, lexicon.REMEDYING, lexicon.RISKING, lexicon.BETTERING, lexicon.WORSENING)
    says = any(lexicon.sign_of(word) or any(lexicon.base(word, table) for table in tables) for word in words)
    closed = len(words) > 2 and text.endswith((".", "!"))
    return says and (closed or len({mention.key for mention in mentions}) > 1)


def missed(claims: Sequence[Claim], text: str, linker: Linker) -> tuple[Sentence, ...]:
    """The sentences of a text that say something and that no claim came from."""
    covered = {claim.span for claim in claims}
    return tuple(
        line
        for line, _ in lines(text, questions=False)
        if (line.start, line.end) not in covered and _telling(line.text, linker.mentions(line.text))
    )
