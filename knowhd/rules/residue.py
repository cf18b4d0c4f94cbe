"""What a claim says besides what is read of it: a third thing, a place, a time, an exception, another verb.

"Aspirin after surgery prevents clots" is more than "aspirin prevents clots", and "A-induced B is relieved by C" more
than "A induces B". What no other rule holds against evidence (conditions, figures, comparisons, means) must be spoken
of in the sentence that decides, or its title, in the same way: "after surgery" is not met by "before surgery", nor
"without nausea" by "and nausea". An edge of a graph names two things and how they bear on each other, and no more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from groundwork.quoted import quoted
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.claims.conditions import stretches
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance
from knowhd.rules import populations
from knowhd.rules.absent import Present
from knowhd.rules.asides import abreast_of, adds_nothing, joined
from knowhd.rules.assertion import Assertion, meanings
from knowhd.rules.framing import frames
from knowhd.rules.groups import CONTROLS, HAVING, PEOPLE
from knowhd.rules.heads import LIGHT, WHO
from knowhd.rules.mechanisms import means_in
from knowhd.rules.phrases import PHRASE
from knowhd.rules.qualifiers import qualifiers
from knowhd.rules.reading import Reading
from knowhd.rules.rests import Marks, Rest, key_of, told_in
from knowhd.rules.subject import claimed
from knowhd.rules.widenings import widenings

if TYPE_CHECKING:
    from spacy.tokens import Token

#: What can be left of a claim: names, what describes them, and what is done. Figures are `quantities`.
_CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "VERB", "X"})
#: Words that go with any thing without making it another: in what amount, form or part of it more or less is measured.
_MEASURES = lexicon.words("""
    abundance activation activity amount concentration content expression formation function gene generation level
    marker mrna pathway plasma production protein receptor release secretion serum signal signaling signalling
    synthesis transcription uptake value
    """)
#: Verbs that say no more than that it is so, was seen, or is known.
_SEEN = lexicon.words("""
    able act appear become come confer display do exert exhibit find get go help know let make mean note observe occur
    play prove remain render report see seem serve show tend try turn undergo use work
    """)
#: How much or how well: nearly every text says that of what it found, and no edge could (see `qualifiers`).
_DEGREE = lexicon.words("""
    clear consistent considerable dramatic effective great important key major marked new notable novel potent powerful
    profound robust significant strong substantial well-known
    """)
#: Whom any study of people is of.
_ANYBODY = lexicon.words("human humanity inpatient outpatient volunteer")
#: What stands between two things and is none of them: unlike other relations, it is not told by saying which way.
_BETWEEN = lexicon.words("mediate mediation mediator")
_TABLES = (
    LIGHT,
    HAVING,
    _MEASURES,
    _SEEN,
    _DEGREE,
    _ANYBODY,
    lexicon.VAGUE,
    lexicon.ABSENT,
    lexicon.HEDGING,
    lexicon.DENYING,
    lexicon.COURSE,
    lexicon.OUTCOMES,
    lexicon.RELATING,
    lexicon.REMEDYING,
    lexicon.RISKING,
    lexicon.BETTERING,
    lexicon.WORSENING,
)


@dataclass(frozen=True, slots=True)
class Residue:
    """What is left of a claim beside what is read of it.

    Attributes:
        rests: What all that decides the claim must speak of.
        beside: What only that need speak of which bears it out.
    """

    rests: tuple[Rest, ...] = ()
    beside: tuple[Rest, ...] = ()

    def spoken_of(self, piece: Piece, stance: Stance, pieces: Sequence[Piece]) -> bool:
        """Whether one of the pieces of evidence, of a stance on what is read, speaks of all of it."""
        return not self._missing(piece, stance, pieces)

    def told(self, pieces: Sequence[Piece], read: Mapping[str, Stance]) -> str:
        """What the reason says of pieces that bear on what is read and do not speak of the rest; empty for none."""
        given = [piece for piece in pieces if piece.id in read]
        silent = [missing for piece in given if (missing := self._missing(piece, read[piece.id], pieces))]
        if not silent:
            return ""
        names = quoted(", ".join(rest.text for rest in silent[0]))
        return f" It speaks of {names} as well: {len(silent)} of {len(given)} pieces that bear on the rest do not."

    def _missing(self, piece: Piece, stance: Stance, pieces: Sequence[Piece]) -> tuple[Rest, ...]:
        """What a piece of evidence does not speak of. Of whom it is, any sentence of its article may tell."""
        owed = self.rests if stance == "contradicts" else self.rests + self.beside
        if not owed or not isinstance(piece, Passage):
            return owed
        told, wide = told_in(piece), _of_any_group(piece.sentence)
        silent = (rest for rest in owed if not rest.spoken_of(told))
        return tuple(
            rest
            for rest in silent
            if not (group := populations.group_of(rest.text))
            or not (wide or (not rest.mark and any(populations.is_of(group, each) for each in _same(piece, pieces))))
        )


def residue_of(claim: Claim, assertion: Assertion) -> Residue:
    """What a claim says besides an assertion of its own.

    What is joined to that, "A lowers B and is approved", is another claim (`claims` tells them apart); another thing
    that does the same, "A and C lower B", is owed by what bears the claim out alone, since either refutes it. So is
    where, in whom or of what kind a thing is: that A does not lower B refutes that it does so in the liver.
    """
    parsed = Present(claim.text, claim.mentions)
    marks, closed = Marks(parsed.text), tuple(_held_elsewhere(parsed))
    owed: list[Rest] = []
    beside: list[Rest] = []
    own = {t.i for end in assertion.ends for place in parsed.places(end) for t in place}
    begins, plain = claimed(parsed.text)
    for token in parsed.doc:
        start, _ = parsed.offsets(token)
        frames_it = not begins <= start < begins + len(plain) and not _is_concept(parsed, token)
        if frames_it or joined(token) or any(begin <= start < end for begin, end in closed):
            continue
        if adds_nothing(token, own):
            continue
        mark = marks.at(start)
        mark = "" if mark == "not" else mark  # what a claim denies is read with its sign
        abreast = any(each.i in own for each in abreast_of(token))
        for rest in _rests(parsed, token, assertion, mark):
            (beside if abreast or _is_detail(token, rest, assertion.reading, own) else owed).append(rest)
    return Residue(tuple(dict.fromkeys(owed)), tuple(beside))


def _held_elsewhere(parsed: Present) -> Iterator[tuple[int, int]]:
    """Where a claim says what rules of their own hold against evidence."""
    text = parsed.text
    yield from stretches(text)
    yield from ((each.start, each.start + len(each.text)) for each in qualifiers(text, parsed.mentions))
    yield from ((text.find(each.text), each.end) for each in widenings(text))
    yield from (frame.words for frame in frames(text))
    yield from means_in(text)


def _rests(parsed: Present, token: "Token", assertion: Assertion, mark: str) -> Iterator[Rest]:
    """What one word of a claim, said with a mark, tells that must be spoken of."""
    if not parsed.hides(token):
        if _is_left(token, assertion.reading):
            yield Rest(token.text, frozenset(), key_of(token), mark)
        return
    named = _named(parsed, token)
    meant = frozenset(meanings(named))
    if not meant.isdisjoint(assertion.ends):
        return
    if _is_concept(parsed, token):
        yield Rest(named.text, meant, "", mark)
    else:
        yield from (Rest(each.text, frozenset(), key_of(each), mark) for each in parse(named.text) if _tells(each))


def _is_detail(token: "Token", rest: Rest, reading: Reading, own: Collection[int]) -> bool:
    """Whether a word of a claim that denies nothing only narrows it: no third thing, nothing done, no more or less."""
    plain = not (reading.negated or rest.meant or rest.mark or token.text in reading.cues)
    another = any(child.i in own for child in token.children if child.dep_ == "compound")  # "A resistance" is not A
    return plain and not another and token.pos_ != "VERB" and not lexicon.sign_of(token.lemma_)


def _named(parsed: Present, token: "Token") -> Mention:
    """What a token that stands for a name stands for."""
    start, _ = parsed.offsets(token)
    return next(mention for mention in parsed.mentions if mention.start <= start < mention.end)


def _is_concept(parsed: Present, token: "Token") -> bool:
    """Whether a token stands for a concept of the graph, rather than for a phrase or itself."""
    meant = meanings(_named(parsed, token)) if parsed.hides(token) else set()
    return any(split_key(key)[0] != PHRASE for key in meant)


def _is_left(token: "Token", reading: Reading) -> bool:
    """Whether a word tells something that neither the sign that was read tells, nor the relation.

    A state that is treated is no amount: who treats a deficiency of A need not raise A. Nor does any relation of two
    tell what is between them.
    """
    if token.text not in reading.cues:
        return _tells(token)
    if not reading.sign:
        return lexicon.base(token.lemma_, _BETWEEN) is not None
    of = token.dep_ == "pobj" and token.head.lower_ in {"of", "for"}
    over = token.head.head if of else token.head
    state = (of or token.dep_ in {"dobj", "nsubjpass"}) and lexicon.sign_of(token.lemma_) != 0
    return state and lexicon.base(over.lemma_, lexicon.REMEDYING) is not None


def _tells(token: "Token") -> bool:
    """Whether a word tells something that evidence may tell or not."""
    if token.pos_ not in _CONTENT or token.is_stop or not token.text[0].isalpha():
        return False
    if populations.group_of(token.text):
        return True
    if any(pattern.fullmatch(token.text) for pattern in (PEOPLE, WHO, CONTROLS)):
        return False
    return all(lexicon.base(form, table) is None for form in (token.lower_, token.lemma_) for table in _TABLES)


def _same(piece: Passage, pieces: Iterable[Piece]) -> Iterator[str]:
    """The sentences of an article."""
    return (each.sentence for each in pieces if isinstance(each, Passage) and each.pmid == piece.pmid)


def _of_any_group(sentence: str) -> bool:
    """Whether a sentence says that it is so in whatever group: "in all groups", "regardless of sex"."""
    wide = (each for each in widenings(sentence) if each.reach == "any")
    return any(populations.of_groups(sentence[each.start : each.end]) for each in wide)
