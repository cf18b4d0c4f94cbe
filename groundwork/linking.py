"""Text to concepts: which concepts a text names, and where.

Precision comes first. A wrong concept makes wrong evidence, so an ordinary English word is never taken for a gene
symbol, a near match must survive a strict check, and what stays in doubt is returned as alternatives.
"""

import re
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.abbreviations import abbreviations
from groundwork.errors import UnknownConcept
from groundwork.language import sentences
from groundwork.misspelling import misspelt
from groundwork.opposites import opposed_pairs
from groundwork.ports import GraphReader, Neighbours
from groundwork.records import Found, Match, Record
from groundwork.rewording import Sureness, rewordings
from groundwork.spelling import acceptable, comparable, generic, variants, without_article
from groundwork.stretches import Places, Span, around, drop, longest, put, spans
from groundwork.surroundings import CLEAR, Surroundings

_WORD = re.compile(r"[^\W_]+")
#: Words around "lead" that tell the verb and the adjective from the metal.
_NO_METAL_AFTER = re.compile(r"\b(?:to|may|can|could|will|might|would|should|must|not|which|that|they|the|a)\s+$", re.I)
_NO_METAL_BEFORE = re.compile(r"\s+(?:to|compounds?|authors?|times?|roles?|candidates?)\b", re.I)

#: Characters that are looked at in front of it.
_BESIDE = 40

#: What a name found by other words scores beside one found as written; other words of less sureness are not accepted.
SURENESS = {Sureness.REORDERED: 0.98, Sureness.INFLECTED: 0.95, Sureness.SYNONYM: 0.9}
#: What the names of something broader score, which are alternatives only.
DOUBTFUL = 0.5

#: No text around a phrase.
NOWHERE = Surroundings()


@dataclass(frozen=True, slots=True)
class Mention(Record):
    """A stretch of text and the concept it names.

    Attributes:
        text: The words, exactly the text's [start:end].
        start: Offset of the first character.
        end: Offset after the last.
        key: The concept, None when none was accepted.
        name: Its preferred name, None likewise.
        score: The match's score in (0, 1]; 0.0 when none was accepted.
        alternatives: Every candidate seen, best first, the accepted one among them.
        ambiguous: Another concept may well be meant: one that bears the name about as often, or the same gene of the
            organism that the text is about.
        how: `key`, `name`, `synonym`, `reworded`, `fuzzy`, `abbreviation`, `given` (see `Linker`), or `none`.
    """

    text: str
    start: int
    end: int
    key: str | None
    name: str | None
    score: float
    alternatives: tuple[Match, ...] = ()
    ambiguous: bool = False
    how: str = "none"


class Linker:
    """Finds the concepts of one graph in texts.

    Args:
        graph: Where names are looked up, in one batch a text.
        remember: Look the same words up once, and read the same text once, for as long as the linker lives: for the
            parts of one text.
        neighbours: Names what is near in meaning to a phrase that nothing else links: alternatives, never accepted.
        given: What names mean in these texts, as keys of concepts of the graph; they go before all else. Case, hyphens
            and spaces of a name do not matter.
    """

    def __init__(
        self,
        graph: GraphReader,
        *,
        remember: bool = False,
        neighbours: Neighbours | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        self._graph = graph
        self._neighbours = neighbours
        self._given = {comparable(without_article(name)): key for name, key in (given or {}).items()}
        self._meant = graph.concepts(self._given.values()) if self._given else {}
        self._known: dict[str, tuple[Match, ...]] | None = {} if remember else None
        self._read: dict[str, tuple[Mention, ...]] = {}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """The longest non-overlapping stretches of a text that name concepts exactly, in order.

        Names of up to `LONGEST` words, whatever their case, hyphens, number, possessive or Greek letters. A short
        form that the text defines, "Alzheimer disease (AD)", means its long form throughout that text. Ordinary
        words, single letters and numbers are no concepts.
        """
        if text in self._read:
            return self._read[text]
        found = self._found(text)
        if self._known is not None:
            self._read[text] = found
        return found

    def _found(self, text: str) -> tuple[Mention, ...]:
        forms = {span: variants(text[slice(*span)]) for span in spans(text)}
        named = self._named(list(dict.fromkeys(form for all_forms in forms.values() for form in all_forms)))
        within = Surroundings.of(text)
        parts = sentences(text)
        initials = frozenset(sentence.start for sentence in parts)
        starts = [sentence.start for sentence in parts]
        shouted = [sentence.text.isupper() for sentence in parts]
        found: list[Mention] = []
        for span, spelled in forms.items():
            surface = text[slice(*span)]
            if (meant := self._as_given(surface, span)) is not None:
                found.append(meant)
                continue
            matches = next((named[form] for form in spelled if form in named), ())
            if not matches:
                continue
            shouting = shouted[bisect_right(starts, span[0]) - 1]
            kept = [m for m in matches if acceptable(surface, m, initial=span[0] in initials, shouting=shouting)]
            kept += [m for m in matches if m not in kept and _is_lead(text, span, m)]
            if kept:
                found.append(_mention(surface, span, tuple(kept), within))
        return _with_short_forms(text, longest(found), self._given)

    def _as_given(self, words: str, span: Span) -> Mention | None:
        """The mention of a name whose concept was given; None if it was not."""
        key = self._given.get(comparable(words)) if self._given else None
        if key is None:
            return None
        concept = self._meant[key]
        match = Match(key, concept.name, concept.type, 1.0, words, "given")
        return Mention(words, *span, key, concept.name, 1.0, (match,), how="given")

    def _named(self, forms: Sequence[str]) -> Mapping[str, tuple[Match, ...]]:
        """What names stand for, as `GraphReader.named`; from memory where they were looked up before."""
        if self._known is None:
            return self._graph.named(forms)
        unknown = [form for form in forms if form not in self._known]
        if unknown:
            self._known |= dict.fromkeys(unknown, ()) | self._graph.named(unknown)
        return {form: matches for form in forms if (matches := self._known[form])}

    def link(
        self,
        phrase: str,
        prefer: str | None = None,
        type: str | None = None,
        within: Surroundings = NOWHERE,
    ) -> Mention:
        """The concept a phrase stands for as a whole: by key, name, synonym, other words for it, then by a near match.

        Args:
            phrase: A key or words; an article in front is passed over.
            prefer: A concept type that goes first where several concepts bear the name.
            type: The only concept type that counts.
            within: The text that it stands in: what its short forms mean, and whose genes it speaks of.

        Returns:
            A mention of the whole phrase; `key` is None when nothing was sure enough, with what came nearest (names of
            something broader, then names spelled nearly so, then embedding neighbours) as alternatives.
        """
        span = (0, len(phrase))
        key = phrase.strip()
        if "|" in key and (concept := self._graph.concepts([key]).get(key)):
            return _mention(phrase, span, (Match(key, concept.name, concept.type, 1.0, key, "key"),), within)
        words = without_article(phrase)
        if not _WORD.search(words):
            return Mention(phrase, *span, key=None, name=None, score=0.0)
        if (given := self._as_given(words, span)) is not None:
            return replace(given, text=phrase)
        long = within.long_forms.get(words)
        if long is not None:
            meant = self.link(long, prefer, type, replace(within, long_forms={}))
            if meant.key is not None:
                meant = _mention(phrase, span, meant.alternatives, within, prefer)
                return replace(meant, how="abbreviation")
        exact = self._spelled([(form, 1.0) for form in variants(words)], type)
        if exact:
            found = _mention(phrase, span, self._with_kin(exact, within), within, prefer)
            # A short form of something that is no concept may be anything.
            return found if long is None else replace(found, ambiguous=True)
        found = self._inexact(phrase, words, prefer, type, within)
        if found.key is None and long is not None and meant.alternatives:
            return replace(found, alternatives=meant.alternatives)
        return found

    def _inexact(self, phrase: str, words: str, prefer: str | None, type: str | None, within: Surroundings) -> Mention:
        """What other words for a phrase, then names spelled nearly so, link it to."""
        span = (0, len(phrase))
        other = rewordings(words)
        sure = [(text, SURENESS[how]) for text, how in other.items() if how in SURENESS]
        reworded = self._spelled(sure, type)
        if reworded:
            return replace(_mention(phrase, span, reworded, within, prefer), how="reworded")
        near = tuple(m for m in self._find(words, type).concepts if m.how == "fuzzy")
        close = tuple(match for match in near if misspelt(words, match.matched))
        if close:
            return _mention(phrase, span, close, within, prefer)
        broader = self._spelled([(text, DOUBTFUL) for text in other if not generic(text)], type)
        seen: dict[str, Match] = {}
        for match in (*broader, *near, *self._alike(words, type)):
            seen.setdefault(match.key, match)
        return Mention(phrase, *span, key=None, name=None, score=0.0, alternatives=tuple(seen.values()))

    def _find(self, words: str, type: str | None) -> Found:
        """What a phrase names nearly."""
        return self._graph.find(words, type=type)

    def _with_kin(self, matches: tuple[Match, ...], within: Surroundings) -> tuple[Match, ...]:
        """Candidates and, where none is a gene of the text's organism, the genes that bear the symbol of one."""
        symbols = list(dict.fromkeys(match.name for match in matches if match.type == "Gene"))
        if not symbols or not all(map(within.doubtful, matches)):
            return matches
        kin = {match.key: match for found in self._named(symbols).values() for match in found if match.type == "Gene"}
        for match in matches:
            kin.pop(match.key, None)
        score = SURENESS[Sureness.SYNONYM]
        return *matches, *(replace(m, score=m.score * score, how="synonym", mentions=0) for m in kin.values())

    def _alike(self, words: str, type: str | None) -> tuple[Match, ...]:
        """Embedding neighbours of a phrase, its opposites left out: every embedder takes them for friends."""
        if self._neighbours is None:
            return ()
        return tuple(m for m in self._neighbours.near(words, type) if not opposed_pairs(words, m.matched))

    def _spelled(self, forms: Sequence[tuple[str, float]], type: str | None) -> tuple[Match, ...]:
        """What the first of some spellings names that names anything (of a type), scores scaled; one look-up."""
        named = self._named([form for form, _ in forms]) if forms else {}
        for form, scale in forms:
            fitting = [m for m in named.get(form, ()) if type is None or m.type == type]
            if fitting:
                return tuple(replace(match, score=match.score * scale) for match in fitting)
        return ()

    def resolve(self, text: str, prefer: str | None = None) -> Mention:
        """Like `link`, for callers that need a concept.

        Raises:
            UnknownConcept: Nothing was near enough; it names the nearest.
        """
        mention = self.link(text, prefer)
        if mention.key is None:
            raise UnknownConcept(text, tuple(f"{m.key} ({m.name})" for m in mention.alternatives[:3]))
        return mention


def _mention(
    surface: str, span: Span, matches: tuple[Match, ...], within: Surroundings, prefer: str | None = None
) -> Mention:
    """A mention of the likeliest of several matches, of the preferred type where there is one."""
    ranked, _ = within.weighed(matches, surface)
    if prefer is not None:
        ranked = tuple(sorted(ranked, key=lambda match: match.type != prefer))
    rivals = tuple(match for match in ranked if match.type == prefer) or ranked
    best, share = ranked[0], within.weighed(rivals, surface)[1]
    doubtful = share < CLEAR or within.doubtful(best, surface)
    return Mention(surface, *span, best.key, best.name, best.score, ranked, doubtful, best.how)


def _is_lead(text: str, span: Span, match: Match) -> bool:
    """Whether the word is the metal, not the verb or the adjective: the one common verb that is a chemical."""
    if text[slice(*span)].lower() != "lead" or match.matched.lower() != "lead" or match.type != "Chemical":
        return False
    before = text[max(0, span[0] - _BESIDE) : span[0]]
    return not (_NO_METAL_AFTER.search(before) or _NO_METAL_BEFORE.match(text, span[1]))


def _with_short_forms(text: str, mentions: list[Mention], given: Container[str]) -> tuple[Mention, ...]:
    """Give every short form that the text defines the concept of its long form.

    Where the long form is no concept, a short form of up to four letters names none either: "average daily dose
    (ADD)" is not the gene ADD. Short forms whose concept is given keep it.
    """
    kept, places = list(mentions), Places(text)
    for short, start, end in abbreviations(text):
        if comparable(short) in given:
            continue
        long = next((m for m in around(kept, start, end) if m.start <= start and m.end == end), None)
        if long is None and not (len(short) <= 4 and short.isalpha()):
            continue
        for span in places.of(short):
            for there in [m for m in around(kept, *span) if (m.start, m.end) == span]:
                if long is None or there.key != long.key or there.ambiguous:
                    drop(kept, there)
            if long is not None:
                put(kept, replace(long, text=short, start=span[0], end=span[1], how="abbreviation"))
    return tuple(kept)
