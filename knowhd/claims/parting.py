"""A sentence taken apart into its statements, the outermost first: frame, condition, sides, folds."""

import re
from collections.abc import Iterator
from dataclasses import replace

from groundwork.contrast import halves
from groundwork.linking import Linker, Mention
from knowhd.claims.clauses import Statement, statements, subjects
from knowhd.claims.conditions import conditions, peeled
from knowhd.claims.connectives import unjoined
from knowhd.claims.folds.elliptic import carried, elliptic, incomplete
from knowhd.claims.folds.unfolding import unfolded
from knowhd.claims.frames import thats, under, unframed
from knowhd.claims.grammar.denial import denied
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import capital, shown
from knowhd.claims.lists import spread
from knowhd.claims.means import behind, both
from knowhd.claims.naming import telling
from knowhd.claims.pointing import resolved
from knowhd.claims.readings import ACTS, Readings
from knowhd.claims.reasons import AGAINST, LEANING, against, asserts, sides
from knowhd.claims.sound import PAIRED, sound
from knowhd.claims.verbs import doings

#: A part that leans on the one before: "warfarin does too", "so does warfarin".
_AUX = r"(?:do(?:es)?|did|is|are|was|were|can|may|will|has|have)"
_ELLIPTIC = re.compile(
    rf"\b{_AUX}(?:n['’]t)?(?: (?:so|too|not|likewise|as well|either))?[.!]?$|\bso {_AUX}\b",
    re.I,
)
_AND = re.compile(r" & ")
#: Folds within folds that are unfolded.
_DEEPEST = 6


class Parting:
    """Takes the sentences of one text apart, one after the other.

    Args:
        linker: Finds the concepts.
        known: Short forms that the text defines.
    """

    def __init__(self, linker: Linker, known: tuple[Mention, ...]) -> None:
        self._readings = Readings(linker, known)
        self._read = self._readings.plain
        # What a pronoun and a "this drug" in the next sentence mean.
        self._before: Statement | None = None
        self._last: Masked | None = None

    def statements(self, text: str) -> Iterator[Statement]:
        """The statements of the next sentence, part by part."""
        told: set[str] = set()
        for part in self._parts(self._spelled(text)):
            plain, names = resolved(self._read(unjoined(part)), self._last)
            told_now = self._read(plain)
            if incomplete(shown(told_now)):
                made = self._completed(told_now)
            else:
                self._last = told_now
                made = [_pointed(statement, names, part) for statement in self._framed(plain, self._before)]
            made = made if all(sound(statement, part) for statement in made) else [Statement(part)]
            self._before = self._topic(plain, made) or self._before
            for statement in made:
                if statement.text not in told:
                    told.add(statement.text)
                    yield statement

    def _completed(self, parsed: Masked) -> list[Statement]:
        """What a part says that says it by the sentence before alone: "Warfarin does not."; flagged, either way."""
        whole = self._read(carried(self._last.text, shown(parsed))) if self._last else parsed
        for (_, _), (text, deny) in elliptic(shown(whole)):
            if self._asserts(text):
                made = [each for s in self._folded(text, None, 0) for each in (self._denials(s) if deny else [s])]
                return [replace(s, pronoun="resolved") for s in made]
        return [Statement(parsed.text, pronoun="unresolved")]

    def _topic(self, text: str, made: list[Statement]) -> Statement | None:
        """The statement of a part whose subject a pronoun behind it means: the last that is not made by the way."""
        own = {subject.lower() for subject in subjects(self._read(text))}
        pronoun = bool(own & {"it", "they"})
        about = [s for s in made if s.subject.lower() in own or (pronoun and s.pronoun == "resolved")]
        return next(reversed(about or made), None)

    def _spelled(self, text: str) -> str:
        """The sentence with "and" for the "&" between two things; in a name it stays."""
        named = [(mention.start, mention.end) for mention in self._readings.mentions(text)] if "&" in text else []
        return _AND.sub(lambda at: at[0] if any(a < at.start() < b for a, b in named) else " and ", text)

    def _parts(self, text: str) -> list[str]:
        """The parts between semicolons where each says something by itself, else the sentence whole."""
        parts = re.split(r";\s+", text)
        apart = len(parts) > 1 and all(statements(self._read(p)) and not _ELLIPTIC.search(p) for p in parts)
        return [*(capital(f"{part}.") for part in parts[:-1]), capital(parts[-1])] if apart else [text]

    def _framed(self, text: str, before: Statement | None) -> list[Statement]:
        """The statements of a part without its frame; behind what of the frame belongs to each of them."""
        frame = unframed(text, self._begins)
        parts = thats(frame.inner) if frame else ()
        if frame is None or (len(parts) > 1 and not all(map(self._asserts, parts))):
            made = self._conditional(text, before) or self._apart(text, before)
            return made if self._kept(text, made) else [Statement(text)]
        inner: list[Statement] = []
        for part in parts:
            inner += self._framed(part, inner[-1] if inner else before)
        return [replace(s, text=under(frame.lead, s.text, text)) for s in inner] or [Statement(text)]

    def _asserts(self, text: str) -> bool:
        return any(map(asserts, self._readings.alike(text)))

    def _begins(self, text: str) -> bool:
        """Whether a clause begins with a name and what may be its verb."""
        named = next(iter(self._readings.mentions(text)), None)
        return named is not None and named.start == 0 and bool(ACTS.match(text, named.end)) and self._asserts(text)

    def _kept(self, text: str, made: list[Statement]) -> bool:
        """Whether every concept that a part names stands in one of its statements, if it has any."""
        told = " ".join(statement.text for statement in made).lower()
        return not made or all(mention.text.lower() in told for mention in self._readings.mentions(text))

    def _conditional(self, text: str, before: Statement | None) -> list[Statement]:
        """The statements of what a condition is set on, each with the condition; none where they are not several."""
        if (peel := peeled(text)) is None:
            return []
        front, main, behind = peel
        told = statements(self._read(f"{front.strip(' ,')}."), before) if front else []
        made = self._folded(main, told[-1] if told else before, 0)
        if len(made) < 2 or any(s.pronoun == "unresolved" for s in made):
            return []
        return [replace(s, text=under(front, _closed(s.text, behind), text)) for s in made]

    def _apart(self, text: str, before: Statement | None) -> list[Statement]:
        """The statements of the two sides of a part, where each stands by itself; else of the part as one."""
        pair = None if _ELLIPTIC.search(text) else sides(text, self._readings.alike)
        pair = pair or next(filter(None, map(both, self._readings.either(behind(text)))), None)
        found = self._sided(pair, before) or self._folded(text, before, 0)
        if not _ELLIPTIC.search(text) and (len(found) < 2 or any(AGAINST.search(s.text) for s in found)):
            found = self._sided(against(text, self._readings.alike), before) or found
        return found

    def _sided(self, pair: tuple[str, str] | None, before: Statement | None) -> list[Statement]:
        """The statements of two sides; none where one of them does not stand by itself."""
        found: list[Statement] = []
        for side in pair or ():
            made = self._apart(side, found[-1] if found else before)
            if not made or any(s.pronoun == "unresolved" or (found and LEANING.search(s.text)) for s in made):
                return []
            found += made
        return found

    def _folded(self, text: str, before: Statement | None, depth: int) -> list[Statement]:
        """The statements of a part that may fold several sentences into one."""
        parts = unfolded(self._read(text), self._readings.alike) if depth < _DEEPEST else None
        if not parts:
            return list(self._halved(text, before))
        found: list[Statement] = []
        for part, deny in parts:
            # What keeps a clause that was told apart is not unfolded again.
            about = found[-1] if found else before
            made = self._folded(part, about, depth + 1) if part != text else list(self._halved(part, about))
            found += [s for each in made for s in (self._denials(each) if deny else [each]) if s not in found]
        return found

    def _denials(self, statement: Statement) -> list[Statement]:
        """What a statement denied comes to: "not B or C" is neither."""
        words = self._denied(statement)
        apart = statements(self._read(words)) or [Statement(words)]
        return [replace(statement, text=each.text, crowded=statement.crowded or each.crowded) for each in apart]

    def _denied(self, statement: Statement) -> str:
        parsed = self._read(statement.text)
        acting = self._readings.acting(statement.text)
        if acting is None or acting.seen(parsed):
            return denied(parsed, plural=statement.plural)
        return acting.denied

    def _halved(self, text: str, before: Statement | None) -> Iterator[Statement]:
        """The statements of a part; of one that sets a thing against another, what it says and what it denies."""
        # A list before a second verb is settled first: "B and raises C" of "lowers A, B and raises C" is no clause.
        for part in (parts := doings(text, self._readings.listed) or ()):
            for statement in self._halved(part, before):
                before = statement
                yield statement
        if parts:
            return
        places = [(mention.start, mention.end) for mention in self._readings.mentions(text)]
        said: set[str] = set()
        for half in halves(text, places):
            # Its other clauses stand in a denied half too, as they were said.
            new = [s for s in self._plain(half.of(text), before) if s.text not in said]
            for statement in new:
                if not half.denied:
                    said.add(statement.text)
                    before = statement
                    yield statement
                    continue
                # A pronoun that follows means what something was said of, not what it was denied of.
                about = before or statement
                for each in self._denials(statement):
                    yield replace(each, subject=about.subject, plural=about.plural)

    def _plain(self, text: str, before: Statement | None) -> list[Statement]:
        """The statements of a sentence; what a resolved pronoun brought in is taken apart in its turn."""
        found: list[Statement] = []
        for part in (parts := doings(text, self._readings.either, self._readings.about) or ()):
            found += self._plain(part, found[-1] if found else before)
        if parts:
            return found
        parsed = self._read(text)
        for statement in statements(parsed, before):
            if statement.text and PAIRED.search(text):
                return [replace(statement, text=text)]  # which belongs to which is not known
            if statement.pronoun != "resolved":
                found += self._spread(statement)
                continue
            again = statements(self._read(statement.text), None)
            found += [replace(statement, text=part.text, crowded=statement.crowded or part.crowded) for part in again]
        if not found and telling(text, parsed.mentions):
            return self._spread(Statement(text))
        # A condition is never lost: where it would be, the sentence stays whole.
        kept = len(found) < 2 or not conditions(text) or all(conditions(s.text) for s in found)
        return found if kept else [replace(found[0], text=text)]

    def _spread(self, statement: Statement) -> list[Statement]:
        """A statement with each name that it still lists told by itself."""
        each = [] if statement.crowded else spread(self._read(statement.text))
        return [replace(statement, text=text) for text in each] or [statement]


def _pointed(statement: Statement, names: tuple[str, ...], text: str) -> Statement:
    """A statement, flagged where it names what its part only pointed to."""
    brought = any(name.lower() in statement.text.lower() for name in names) and statement.text not in text
    return replace(statement, pronoun="resolved") if brought and not statement.pronoun else statement


def _closed(words: str, behind: str) -> str:
    """A statement with what goes behind it, closed by a stop."""
    return f"{words.rstrip('.!')}{behind}." if behind else words
