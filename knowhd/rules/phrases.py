"""What a claim is about where the graph knows fewer than two names in it: its noun phrases, marked as names would be.

"Zorbafen relieved cluster headache" shares all but a word with "zorbafen relieves migraine", and only who knows what
is a name sees that it says something else. So the phrases of a claim are marked in it, and wherever a sentence has the
same phrase it is marked there: then both are read as if the graph knew these names. A phrase is a run of words that
neither say how one thing bears on another nor belong to any subject ("risk", "patients"). It is the same phrase in
another number, order or spelling, or with a word that stands for the same; behind another noun its last word is another
thing ("cluster headache" is not "headache").
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from groundwork.abbreviations import abbreviations
from groundwork.language import nouns, parse
from groundwork.linking import Mention
from groundwork.records import split_key
from groundwork.rewording import Sureness, rewordings
from groundwork.spelling import generic, variants
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage
from knowhd.rules.everyday import PHRASES, SAME
from knowhd.rules.groups import CONTROLS, PEOPLE
from knowhd.rules.heads import ANYBODY, LIGHT, WHO

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

#: The type of a key that stands for a phrase.
PHRASE = "Phrase"
#: Words that say how things bear on each other, or that go with any.
_CUES = (
    lexicon.RELATING,
    lexicon.REMEDYING,
    lexicon.RISKING,
    lexicon.BETTERING,
    lexicon.WORSENING,
    lexicon.REMOVING,
    lexicon.OUTCOMES,
    lexicon.COURSE,
    lexicon.ABSENT,
    lexicon.HEDGING,
    ANYBODY,
)
_NAMING = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X", "VERB", "SYM", "INTJ"})
#: What hangs from verbs alone.
_OF_VERBS = frozenset({"nsubj", "nsubjpass", "dobj", "ccomp", "xcomp", "aux", "auxpass", "neg", "agent"})
#: Endings of verbs; what the parser takes for another form of one is a name that it does not know.
_FORMS = {"VBZ": ("s",), "VBD": ("ed", "t", "n"), "VBN": ("ed", "t", "n"), "VBG": ("ing",)}
#: What adjectives tell apart though it tells little alone: "antioxidant supplements".
_KINDS = lexicon.words("diet disease disorder drug extract medication medicine oil supplement supplementation therapy")
#: What happens, and is told apart by whose or what it is: "major cardiovascular events", "renal function".
_HAPPENING = lexicon.COURSE | lexicon.words("arrest function outcome")
#: Adjectives that tell kinds apart, by how they end; names that the parser takes for adjectives do not end so.
_CLASSING = re.compile(r"[a-z]+(?:al|ar|ary|ic|ory|ous)")
_THINGS = frozenset({"dobj", "nsubj", "nsubjpass", "pobj"})
_OBJECTS = frozenset({"ccomp", "dobj", "xcomp"})
#: Beside a hyphen they say that a thing is not there.
_GONE = frozenset({"null", "free", "deficient", "knock"})
_DESCRIBING = frozenset({"acomp", "advmod", "amod", "conj", "oprd"})
#: A name of so few letters counts only as it is written.
_SHORT = 3
#: A symbol behind the kind of thing that it names: "the sodium channel SCN5A".
_SYMBOL = re.compile(r"(?<=\w )[A-Z][A-Za-z]*\d\w*$")
#: How a drug is put up belongs to its name.
_PUT_UP = re.compile(r" (?:tablet|capsule|pill|injection)s?(?: of \d[\d.,]* ?(?:mg|g|µg|mcg|ml)\b)?")
#: What is read lies between so many.
_ENDS = 2
_NAMES = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.I)


def phrased(claim: Claim) -> Claim:
    """A claim with its phrases marked beside the concepts it names; with "pills" and the like where it has no other."""
    known = _merged(claim.mentions, _everyday(claim.text))
    mentions = _merged(known, _phrases(claim.text, _tells))
    if len(mentions) < _ENDS:
        mentions = _merged(known, _phrases(claim.text, _stands))
    keys = dict.fromkeys(mention.key for mention in mentions if mention.key)
    return replace(claim, concepts=tuple(keys), mentions=mentions)


def seen_in(claim: Claim, shown: Sequence[Passage]) -> list[Passage]:
    """The sentences of an article with the phrases of a claim marked in them as they are in the claim."""
    texts = {claim.text, *(text for passage in shown for text in (passage.title, passage.sentence) if text)}
    short = {(text[a.start : a.end].lower(), a.short) for text in texts for a in abbreviations(text)}
    ways = {m.key: _ways(m.text, _short_forms(m.text, short)) for m in claim.mentions if m.key and _is_phrase(m.key)}
    return [replace(p, mentions=_merged(p.mentions, _places(p.sentence, ways))) for p in shown]


def is_name(phrase: str) -> bool:
    """Whether a phrase has a word that is no English noun, as names have: who speaks of the thing calls it so."""
    words = [token for token in parse(phrase) if token.text.isalnum() and token.pos_ not in {"ADJ", "VERB"}]
    return any({token.lower_, token.lemma_.lower()}.isdisjoint(nouns()) for token in words)


def _is_phrase(key: str) -> bool:
    return split_key(key)[0] == PHRASE


def _short_forms(phrase: str, defined: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The other one of a phrase and its short form, where a text defines it."""
    pairs = [pair for pair in defined if phrase.lower() in {pair[0], pair[1].lower()}]
    return tuple(sorted({way for pair in pairs for way in pair} - {phrase}))


def _everyday(text: str) -> Iterator[Mention]:
    """The everyday names of several words in a text."""
    for found in _NAMES.finditer(text):
        yield _mention(text, *found.span())


def _phrases(text: str, names: Callable[["Token"], bool]) -> Iterator[Mention]:
    """The phrases of a text, in order, of words that may be part of a name."""
    for named, run in groupby(parse(text), lambda token: _may_name(token) and names(token)):
        words = _trimmed(list(run)) if named else []
        if words:
            start, end = words[0].idx, words[-1].idx + len(words[-1])
            end = start + len(text[start:end].partition("-/-")[0].rstrip(".,;:"))
            form = _PUT_UP.match(text, end)
            yield replace(_mention(text, start, end), end=form.end() if form else end)


def _mention(text: str, start: int, end: int) -> Mention:
    phrase = text[start:end]
    return Mention(phrase, start, end, f"{PHRASE}|{phrase.lower()}", phrase, 1.0)


def _may_name(token: "Token") -> bool:
    """Whether a word is of a kind that names are made of."""
    if token.text == "-":
        return token.i > 0 and not token.nbor(-1).whitespace_ and not token.whitespace_
    if token.pos_ not in _NAMING or token.is_stop or not any(map(str.isalnum, token.text)):
        return False
    return not ((_acts(token) and not _happens(token)) or WHO.fullmatch(token.text) or CONTROLS.fullmatch(token.text))


def _acts(token: "Token") -> bool:
    """Whether a word is a verb, where the parser cannot have taken an unknown name for one."""
    if token.pos_ != "VERB" or _beside_verb(token):
        return False
    endings = _FORMS.get(token.tag_)
    return token.lower_.endswith(endings) if endings else any(child.dep_ in _OF_VERBS for child in token.children)


def _happens(token: "Token") -> bool:
    """Whether a word of a verb's form stands for what happens: "bleeding" in "does not cause bleeding"."""
    return token.tag_ == "VBG" and token.dep_ in _THINGS and not any(c.dep_ in _OBJECTS for c in token.children)


def _beside_verb(token: "Token") -> bool:
    """Whether a verb that says what is done stands right before or behind a word: "zorbafen inhibits"."""
    return _behind_verb(token) or (token.i + 1 < len(token.doc) and _does(token.nbor(1)))


def _behind_verb(token: "Token") -> bool:
    return token.i > 0 and _does(token.nbor(-1))


def _does(token: "Token") -> bool:
    return token.lower_.endswith(("s", "ed")) and lexicon.sign_of(token.lower_) != 0


def _tells(token: "Token") -> bool:
    """Whether a word neither says how one thing bears on another nor goes with anything; "type 2", "X disease" tell.

    In whom something was seen tells as little, unless a word says which ("B cells").
    """
    before, behind = (token.nbor(step) if 0 <= token.i + step < len(token.doc) else token for step in (-1, 1))
    numbered = token.lower_ == "type" and behind.pos_ == "NUM"
    named = token.lower_ in _KINDS and before.head == token and (before.dep_ == "compound" or before.is_title)
    if token.lower_ in _GONE and (before.text == "-" or behind.text == "-"):
        return False
    told_apart = any(c.dep_ in {"compound", "amod"} and c.i < token.i and c.lower_ not in _GONE for c in token.children)
    anyone = PEOPLE.fullmatch(token.text) and not told_apart
    return numbered or named or not (anyone or _among(token, (*_CUES, LIGHT)))


def _stands(token: "Token") -> bool:
    """Whether a word may stand for something of its own."""
    return _tells(token) or not _among(token, (*_CUES, lexicon.VAGUE))


def _among(token: "Token", tables: Iterable[frozenset[str]]) -> bool:
    forms = (token.lower_, token.lemma_)
    return any(lexicon.sign_of(word) or any(lexicon.base(word, table) for table in tables) for word in forms)


def _trimmed(run: list["Token"]) -> list["Token"]:
    """A run without hyphens and numbers at its ends; nothing where it only describes, or names all of a kind."""
    while run and (run[0].text == "-" or run[0].pos_ == "NUM"):
        run = run[1:]
    while run and run[-1].text == "-":
        run = run[:-1]
    if run and all(t.pos_ == "ADJ" and t.is_lower and t.dep_ in _DESCRIBING for t in run) and not _behind_verb(run[0]):
        run = [*run, head] if (head := _next_noun(run)) is not None and _among(head, (_KINDS, _HAPPENING)) else []
    elif _tells_kinds(run) and (head := _next_noun(run)) is not None and _among(head, (_HAPPENING,)):
        run = [*run, head]
    return [] if sum(map(len, run)) < 2 or (len(run) == 1 and generic(run[0].text)) else run


def _tells_kinds(run: Sequence["Token"]) -> bool:
    """Whether a run is of adjectives, the last of which tells a kind."""
    return all(token.pos_ == "ADJ" for token in run) and bool(run) and _CLASSING.fullmatch(run[-1].text) is not None


def _next_noun(run: Sequence["Token"]) -> "Token | None":
    """The noun right behind a run that describes it."""
    last = run[-1] if run else None
    return last.head if last is not None and last.head.i == last.i + 1 and last.head.pos_ == "NOUN" else None


@lru_cache(maxsize=1024)
def _ways(phrase: str, short: tuple[str, ...]) -> re.Pattern[str]:
    """Where a phrase stands, in any of the ways it may be written, or by a short form."""
    front, _, head = phrase.lower().rpartition(" ")
    others = [other for other, sureness in rewordings(phrase).items() if sureness < Sureness.BROADER]
    others += [f"{front} {other}".strip() for other in _same_as(head)]
    others += [*_same_as(phrase.lower()), *_SYMBOL.findall(phrase)]
    forms = dict.fromkeys(form for each in (phrase, *others, *short) for form in variants(each))
    written = (
        re.escape(form) if len(form) <= _SHORT else f"(?i:{re.escape(form)})"
        for form in sorted(forms, key=len, reverse=True)
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)")


def _same_as(word: str) -> list[str]:
    """Everyday and medical words, or phrases, for the thing that a word or a phrase names."""
    same = SAME.get(word) or PHRASES.get(word)
    return [other for table in (SAME, PHRASES) for other, first in table.items() if same and first == same]


def _places(sentence: str, ways: Mapping[str, re.Pattern[str]]) -> Iterator[Mention]:
    """Where a sentence has the phrases."""
    for key, way in ways.items():
        for found in way.finditer(sentence):
            if not _of_another(parse(sentence), found.start()):
                yield Mention(found[0], *found.span(), key, found[0], 1.0)


def _of_another(parsed: "Doc", start: int) -> bool:
    """Whether a noun stands right before a place, as part of the name of another thing."""
    first = next((token for token in parsed if token.idx <= start < token.idx + len(token)), None)
    before = first.nbor(-1) if first is not None and first.i else None
    if first is None or before is None or not before.whitespace_:
        return False
    joined = before.head == first or (before.dep_ == "compound" and before.head.i >= before.i)
    return before.pos_ in {"NOUN", "PROPN"} and _tells(before) and joined


def _merged(first: Iterable[Mention], second: Iterable[Mention]) -> tuple[Mention, ...]:
    """Mentions in order, without those that overlap an earlier or a longer one; the first go before."""
    kept: list[Mention] = []
    for mention in (*first, *sorted(second, key=lambda each: each.start - each.end)):
        if not any(mention.start < other.end and other.start < mention.end for other in kept):
            kept.append(mention)
    return tuple(sorted(kept, key=lambda mention: mention.start))
