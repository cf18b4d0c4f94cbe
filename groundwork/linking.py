"""Entity linking: find which concepts a text names, and where.

Precision comes first, because a wrong concept leads to wrong evidence. An ordinary English word is never taken for a
gene symbol, a near match must pass a strict check, and doubtful candidates are returned as alternatives.

A `MentionCache` keeps the mentions found in texts, so that no text is linked twice while the names in the graph stay
the same. The cache only saves time; it never changes an answer. It is not a part of the graph, so the graph's digest
does not depend on it.
"""

import json
import re
import zlib
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from itertools import chain, islice, pairwise
from pathlib import Path
from sqlite3 import Connection
from time import time

from groundwork.files import loads
from groundwork.language import Sentence, sentences
from groundwork.organisms import organism_of, organisms_named
from groundwork.ports import GraphReader
from groundwork.records import Match, Record, split_key
from groundwork.spelling import (
    Sureness,
    acceptable,
    comparable,
    generic,
    is_lead,
    misspelt,
    opening,
    rewordings,
    variants,
    without_article,
)
from groundwork.sqlite_file import CacheFile
from groundwork.surroundings import CLEAR, Places, Span, Surroundings, abbreviations, around, drop, longest, put, spans

_WORD = re.compile(r"[^\W_]+")
#: Factors for the scores of names found through another wording. Kinds of wording without a factor are not accepted.
SURENESS = {Sureness.REORDERED: 0.98, Sureness.INFLECTED: 0.95, Sureness.SYNONYM: 0.9}
#: Factor for the scores of broader names, which are returned as alternatives only.
DOUBTFUL = 0.5

#: Number of texts whose names are looked up in one request.
_TOGETHER = 16

#: The rest of a longer symbol behind a name: the name in PD-L1 is not PD.
_CONTINUED = re.compile(r"[-\u2010\u2011][A-Z]*\d")
#: The context of a phrase without a surrounding text.
NOWHERE = Surroundings()


@dataclass(frozen=True, slots=True)
class Mention(Record):
    """A part of a text and the concept that it names.

    Attributes:
        text: The words: the part [start:end] of the text.
        start: Offset of the first character.
        end: Offset after the last character.
        key: Key of the concept; None if no candidate was accepted.
        name: Preferred name of the concept; None if no candidate was accepted.
        score: Score of the match in (0, 1]; 0.0 if no candidate was accepted.
        alternatives: All candidates, best first, including the accepted one.
        ambiguous: Whether something else may be meant, such as another concept that has this name about as often, the
            corresponding gene of another organism, or a long form of an abbreviation that is not a known concept.
        how: How the concept was found: `key`, `name`, `synonym`, `reworded`, `fuzzy`, `abbreviation`, `given` (see
            `Linker`), or `none`.
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

    @property
    def candidates(self) -> frozenset[str]:
        """Keys of all concepts that may be meant."""
        return frozenset({match.key for match in self.alternatives} | ({self.key} if self.key else set()))


class Linker:
    """Finds the concepts of one graph in texts.

    Args:
        graph: The graph in which names are looked up, many names in one request.
        remember: If True, look up each name once and read each text once during the linker's life. Use it for the parts
            of one text.
        given: The key of the concept in the graph for each name whose meaning the caller knows. These meanings take
            precedence over all other matches. Case, hyphens and spaces of a name do not matter.
    """

    def __init__(self, graph: GraphReader, *, remember: bool = False, given: Mapping[str, str] | None = None) -> None:
        self._graph = graph
        self._given = {comparable(without_article(name)): key for name, key in (given or {}).items()}
        self._meant = graph.concepts(self._given.values()) if self._given else {}
        self._known: dict[str, tuple[Match, ...]] | None = {} if remember else None
        self._read: dict[str, tuple[Mention, ...]] = {}
        self._around: Mapping[str, int] = {}

    def within(self, text: str) -> "Linker":
        """Return a linker for the parts of a text. A part that names no organism is about those of the whole text."""
        inner = copy(self)
        inner._around = organisms_named(text)
        if inner._around != self._around:
            inner._read = {text: self._read[text]} if text in self._read else {}
        return inner

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the longest non-overlapping mentions of concepts in a text, in order; only exact names count.

        Names have up to `surroundings.LONGEST` words. Case, hyphens, singular or plural, possessives and Greek letters
        may vary. If the text defines a short form, as in "Alzheimer disease (AD)", the short form means its long form
        in the whole text. Ordinary words, single letters and numbers are not concepts.
        """
        return self.all_mentions([text])[text]

    def all_mentions(self, texts: Iterable[str]) -> dict[str, tuple[Mention, ...]]:
        """Return what `mentions` returns, for each of many texts. The names of several texts are looked up together."""
        asked = dict.fromkeys(texts)
        found = {text: self._read[text] for text in asked if text in self._read}
        new = (text for text in asked if text not in found)
        while some := list(islice(new, _TOGETHER)):
            spelled = {text: self._spellings(text) for text in some}
            forms = chain.from_iterable(chain.from_iterable(each.values() for each in spelled.values()))
            named = self._named(list(dict.fromkeys(forms)))
            found |= {text: self._found(text, each, named) for text, each in spelled.items()}
        if self._known is not None:
            self._read |= found
        return found

    def _spellings(self, text: str) -> dict[Span, list[str]]:
        """Return the spellings of each span that may be a name. Spans with the same words share one list."""
        places = spans(text, None if self._given else self._begun)
        surfaces = {span: text[slice(*span)] for span in places}
        spelled = {surface: variants(surface) for surface in dict.fromkeys(surfaces.values())}
        return {span: spelled[surface] for span, surface in surfaces.items()}

    def _begun(self, words: Iterable[str]) -> set[str]:
        """Return those of `words` with which a name in the graph may begin, in any spelling."""
        openings = {each: opening(each) for each in words}
        known = self._graph.begun(set(openings.values()))
        return {each for each, letters in openings.items() if letters in known}

    def _found(
        self, text: str, forms: Mapping[Span, Sequence[str]], named: Mapping[str, tuple[Match, ...]]
    ) -> tuple[Mention, ...]:
        within = Surroundings.of(text, self._graph.species, self._around)
        parts = sentences(text)
        starts = [sentence.start for sentence in parts]
        shouted = [sentence.text.isupper() for sentence in parts]
        found: list[Mention] = []
        for span, spelled in forms.items():
            if not self._given and named.keys().isdisjoint(spelled):  # nearly all spans name nothing
                continue
            surface = text[slice(*span)]
            if (meant := self._as_given(surface, span)) is not None:
                found.append(meant)
                continue
            matches = next((named[form] for form in spelled if form in named), ())
            if not matches:
                continue
            at = bisect_right(starts, span[0]) - 1
            if within.given:  # the genes of other organisms are not meant
                matches = tuple(m for m in matches if m.type != "Gene" or organism_of(m) == within.settled)
            if _CONTINUED.match(text, span[1]):
                continue
            kept = [m for m in matches if acceptable(surface, m, initial=span[0] == starts[at], shouting=shouted[at])]
            kept += [m for m in matches if m not in kept and is_lead(text, span, m)]
            if kept:
                found.append(_mention(surface, span, tuple(kept), within))
        return _with_short_forms(text, longest(found), self._given)

    def _as_given(self, words: str, span: Span) -> Mention | None:
        """Return the mention of a name whose concept is in `given`; None for other names."""
        key = self._given.get(comparable(words)) if self._given else None
        if key is None:
            return None
        concept = self._meant[key]
        match = Match(key, concept.name, concept.type, 1.0, words, "given")
        return Mention(words, *span, key, concept.name, 1.0, (match,), how="given")

    def _named(self, forms: Sequence[str]) -> Mapping[str, tuple[Match, ...]]:
        """Return the concepts of each name; see `GraphReader.named`. With `remember`, known names come from memory."""
        if self._known is None:
            return self._graph.named(forms)
        unknown = [form for form in forms if form not in self._known]
        if unknown:
            self._known |= dict.fromkeys(unknown, ()) | self._graph.named(unknown)
        return {form: matches for form in forms if (matches := self._known[form])}

    def link(
        self, phrase: str, prefer: str | None = None, type: str | None = None, within: Surroundings = NOWHERE
    ) -> Mention:
        """Link a whole phrase to a concept: by key, name, synonym, another wording, or a near match, in this order.

        Args:
            phrase: A key or words; a leading determiner, such as "the" or "this", is ignored.
            prefer: A concept type that comes first if several concepts have the name.
            type: The only concept type to consider; None for all.
            within: The context of the phrase: the meaning of short forms, and the organisms that the text is about.

        Returns:
            A mention of the whole phrase. If no candidate was sure enough, `key` is None and `alternatives` holds the
            nearest candidates: broader names, then names with a similar spelling.
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
            # The short form stands for something that is not a concept, so the concept found may be wrong.
            return found if long is None else replace(found, ambiguous=True)
        found = self._inexact(phrase, words, prefer, type, within)
        if found.key is None and long is not None and meant.alternatives:
            return replace(found, alternatives=meant.alternatives)
        return found

    def _inexact(self, phrase: str, words: str, prefer: str | None, type: str | None, within: Surroundings) -> Mention:
        """Link a phrase by other wordings, then by names with a similar spelling."""
        span = (0, len(phrase))
        other = rewordings(words)
        sure = [(text, SURENESS[how]) for text, how in other.items() if how in SURENESS]
        reworded = self._spelled(sure, type)
        if reworded:
            return replace(_mention(phrase, span, reworded, within, prefer), how="reworded")
        near = tuple(m for m in self._graph.find(words, type=type).concepts if m.how == "fuzzy")
        close = tuple(match for match in near if misspelt(words, match.matched))
        if close:
            return _mention(phrase, span, close, within, prefer)
        broader = self._spelled([(text, DOUBTFUL) for text in other if not generic(text)], type)
        seen: dict[str, Match] = {}
        for match in (*broader, *near):
            seen.setdefault(match.key, match)
        return Mention(phrase, *span, key=None, name=None, score=0.0, alternatives=tuple(seen.values()))

    def _with_kin(self, matches: tuple[Match, ...], within: Surroundings) -> tuple[Match, ...]:
        """Return the candidates; if all are doubtful (`Surroundings`), with the other genes of the same symbols."""
        symbols = list(dict.fromkeys(match.name for match in matches if match.type == "Gene"))
        if not symbols or not all(map(within.doubtful, matches)):
            return matches
        kin = {match.key: match for found in self._named(symbols).values() for match in found if match.type == "Gene"}
        for match in matches:
            kin.pop(match.key, None)
        score = SURENESS[Sureness.SYNONYM]
        return *matches, *(replace(m, score=m.score * score, how="synonym", mentions=0) for m in kin.values())

    def _spelled(self, forms: Sequence[tuple[str, float]], type: str | None) -> tuple[Match, ...]:
        """Return the matches of the first spelling that names a concept.

        The scores of the matches are multiplied by the factor of this spelling.
        """
        named = self._named([form for form, _ in forms]) if forms else {}
        for form, scale in forms:
            fitting = [m for m in named.get(form, ()) if type is None or m.type == type]
            if fitting:
                return tuple(replace(match, score=match.score * scale) for match in fitting)
        return ()


def _mention(
    surface: str, span: Span, matches: tuple[Match, ...], within: Surroundings, prefer: str | None = None
) -> Mention:
    """Return a mention of the most likely match. Matches of the type `prefer` come before all other matches."""
    ranked, share = within.weighed(matches, surface)
    if rivals := tuple(match for match in ranked if match.type == prefer):
        ranked = tuple(sorted(ranked, key=lambda match: match.type != prefer))
        share = within.weighed(rivals, surface)[1]
    best = ranked[0]
    doubtful = share < CLEAR or within.doubtful(best, surface)
    return Mention(surface, *span, best.key, best.name, best.score, ranked, doubtful, best.how)


def _glosses(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[str, int, int]]:
    """Yield names in brackets behind another name of a concept that they may mean: "aspirin (ASA)".

    The form of the results is that of `abbreviations`.
    """
    for one, other in pairwise(sorted(mentions, key=lambda mention: mention.start)):
        bracketed = text[one.end : other.start].strip() == "(" and text[other.end : other.end + 1] == ")"
        if bracketed and other.ambiguous and not one.ambiguous and one.key in other.candidates:
            yield other.text, one.start, one.end


def _with_short_forms(text: str, mentions: list[Mention], given: Container[str]) -> tuple[Mention, ...]:
    """For each short form that the text defines, add mentions of the concept that its long form names.

    If the long form is not a concept, a short form of up to four letters is not a concept either: "average daily dose
    (ADD)" does not mention the gene ADD.
    """
    kept, places = list(mentions), Places(text)
    for short, start, end in (*abbreviations(text), *_glosses(text, mentions)):
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


def placed(text: str, names: Iterable[tuple[str, str]]) -> tuple[Mention, ...]:
    """Return a mention for every place where a text contains a name that an annotator marked.

    Args:
        text: The text.
        names: (words, key) of each annotation in the document. If a name has several keys, the first one counts and the
            others become alternatives.

    Returns:
        The mentions in text order. If mentions overlap, only the longest is returned.
    """
    keys: dict[str, dict[str, None]] = {}
    for words, key in names:
        if words.strip():
            keys.setdefault(words, {})[key] = None
    places = Places(text)
    found = []
    for words, named in keys.items():
        matches = tuple(Match(key, words, split_key(key)[0], 1.0, words, "name") for key in named)
        found += [
            Mention(words, start, end, matches[0].key, words, 1.0, matches, how="name")
            for start, end in places.of(words)
        ]
    return tuple(longest(found))


def within(mentions: Iterable[Mention], part: Sentence) -> tuple[Mention, ...]:
    """Return the mentions inside a sentence, with offsets relative to the sentence."""
    inside = (m for m in mentions if part.start <= m.start and m.end <= part.end)
    return tuple(replace(m, start=m.start - part.start, end=m.end - part.start) for m in inside)


#: Version of the cached data. Increase it when mentions are found or stored in another way.
_FORMAT = 4
_COLUMNS = "key BLOB PRIMARY KEY, mentions BLOB NOT NULL, used REAL NOT NULL"
#: Maximum size of the file in bytes: the mentions of about half a million abstracts.
_BOUND = 2**30

Mentions = tuple[Mention, ...]


class MentionCache:
    """A cache of the mentions found in texts, in one file.

    Mentions are stored by their text and by what else they depend on: a fingerprint of the graph's releases, which
    stands for the names in the graph, and the organism that the user chose.

    Args:
        path: The file; it is created at the first write.
    """

    def __init__(self, path: Path) -> None:
        self._file = CacheFile(path, "mentions", _COLUMNS, _BOUND)
        self._program = f"{version('truthhypo')}/{_FORMAT}"

    def get(self, texts: Iterable[str], names: str) -> dict[str, Mentions]:
        """Return the cached mentions of the given texts; texts that are not cached are left out.

        Args:
            texts: The texts.
            names: What the mentions depend on, as one text.
        """
        keys = {self._key(text, names): text for text in texts}

        def look(database: Connection) -> list[tuple[bytes, bytes]]:
            rows = [
                row
                for key in keys
                for row in database.execute("SELECT key, mentions FROM mentions WHERE key = ?", (key,))
            ]
            database.executemany("UPDATE mentions SET used = ? WHERE key = ?", [(time(), key) for key, _ in rows])
            return rows

        found = {keys[key]: _unpacked(mentions) for key, mentions in (self._file.read(look) if keys else None) or ()}
        return {text: mentions for text, mentions in found.items() if mentions is not None}

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        self._file.close()

    def put(self, found: Mapping[str, Mentions], names: str) -> None:
        """Store the mentions of texts."""
        rows = [(self._key(text, names), _packed(mentions), time()) for text, mentions in found.items()]
        if rows:
            self._file.write(
                lambda base: base.executemany(
                    "INSERT OR REPLACE INTO mentions (key, mentions, used) VALUES (?, ?, ?)", rows
                )
            )

    def _key(self, text: str, names: str) -> bytes:
        return sha256(json.dumps([self._program, names, text]).encode()).digest()


def _packed(mentions: Mentions) -> bytes:
    rows = [{name: getattr(each, name) for name in Mention.__slots__} for each in mentions]
    for row in rows:
        row["alternatives"] = [[getattr(match, name) for name in Match.__slots__] for match in row["alternatives"]]
    return zlib.compress(json.dumps(rows).encode(), level=1)


def _unpacked(packed: bytes) -> Mentions | None:
    """Return the mentions, or None if the bytes were changed since they were written (zlib adds a checksum)."""
    try:
        rows = loads(zlib.decompress(packed))
        return tuple(
            Mention(**{**row, "alternatives": tuple(Match(*each) for each in row["alternatives"])}) for row in rows
        )
    except (zlib.error, ValueError, TypeError, KeyError):
        return None
