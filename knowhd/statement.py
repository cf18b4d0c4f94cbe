"""Read what a claim states about its two ends, with the encoder that also reads evidence.

The reading is tested by exchanging the verb of the claim for its opposite, and by denying it. A reading that stays the
same does not come from the verb. Such a claim is unread: otherwise one sentence could support a claim and its opposite.

The measure of risk (`fuzzygraph`) gets the same statements as triples of subject, predicate and object, so that it
measures exactly what is judged.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import combinations, islice

from groundwork.language import rows
from groundwork.linking import Linker, Mention
from groundwork.organisms import organism_of, organism_places
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.ports.claims import SaidClaim, Triple
from groundwork.readable import readable, statement
from groundwork.reading.encoder import Encoder, Marked, PairReading, Spans, clearness, moved
from groundwork.reading.layout import parts
from groundwork.reading.tree import Tree, Word, category, context, is_phrase, parse_mended, phrase_key, with_phrases
from groundwork.records import split_key
from groundwork.spelling import opposite
from groundwork.vocabulary import VERB_SIGNS, Sign, relation_sign
from knowhd.claims import Claim, RuleClaims, meanings, missed
from knowhd.clauses import past, third
from knowhd.phrases import predicate_of


def forms(word: str) -> frozenset[str]:
    """Return a word with its adjectives if it is a noun of the table, or with its nouns if it is an adjective."""
    return _table().get(word, frozenset()) | {word}


def of_adjective(adverb: str) -> bool:
    """Return whether an adverb belongs to an adjective of the table: "renally", "intravenously"."""
    return any(adverb.removesuffix(ending) in _table() for ending in ("ally", "ly"))


@lru_cache(maxsize=1)
def _table() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for adjective, nouns in rows("knowhd", "adjectives.tsv"):
        for noun in nouns.split():
            found[adjective].add(noun)
            found[noun].add(adjective)
    return {word: frozenset(others) for word, others in found.items()}


_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}
_AUXILIARIES = frozenset({"be", "can", "could", "may", "might", "must", "shall", "should", "will", "would"})


@dataclass(frozen=True, slots=True)
class Change:
    """A text with other words at one place.

    Attributes:
        text: The changed text.
        at: Offset of the place in the original text.
        by: Number of characters that the text grew.
    """

    text: str
    at: int
    by: int

    def moved(self, spans: Spans) -> Spans:
        """Return where places of the original text are in the changed text."""
        return moved(spans, self.at, self.by)


def turned(tree: Tree) -> Change | None:
    """Return a sentence with its main verb or predicate exchanged for an opposite; None if no opposite is listed."""
    for verb in _verbs(tree):
        # The parser does not know all lemmas ("overexpresse"), and tags some participles as adjectives.
        found = opposite(verb.text) or opposite(verb.lemma)
        if found is not None:
            lemma, other = found
            is_past = verb.tag in {"VBD", "VBN"} or verb.text.lower() == past(lemma)
            return _replaced(tree, verb, third(other) if verb.tag == "VBZ" else past(other) if is_past else other)
    return None


def denied(tree: Tree) -> Change | None:
    """Return a sentence with its main verb denied; None if it has no finite verb or is negated already."""
    verb = next((word for word in _verbs(tree) if word.tag in _DO or word.tag == "MD"), None)
    if verb is None or is_denied(tree):
        return None
    if verb.lemma in _AUXILIARIES or verb.tag == "MD":
        return _replaced(tree, verb, f"{verb.text} not")
    return _replaced(tree, verb, f"{_DO[verb.tag]} not {verb.lemma}")


def is_denied(tree: Tree) -> bool:
    """Return whether the parse shows a negation of the main verb."""
    return tree.root is not None and bool(tree.children(tree.root, "neg"))


def _verbs(tree: Tree) -> Iterator[Word]:
    """Yield the finite auxiliary of the main verb, the main verb, and what it governs ("helps to lower", "is high")."""
    if tree.root is None:
        return
    yield from (child for child in tree.children(tree.root, "aux", "auxpass") if child.tag in {*_DO, "MD"})
    yield tree.root
    yield from (child for child in tree.children(tree.root, "xcomp", "acomp") if child.tag in {"VB", "VBN", "JJ"})


def _replaced(tree: Tree, verb: Word, words: str) -> Change:
    text = tree.text[: verb.start] + words + tree.text[verb.end :]
    return Change(text, verb.end, len(words) - (verb.end - verb.start))


#: Maximum number of ends of one claim that are compared with each other (120 pairs); the first ones are used.
MOST_ENDS = 16
#: Minimum clearness of the sign of a claim. It may be low, since the sign must also change with the verb.
CLEAR = 0.5
#: Nouns whose modifiers narrow a claim, although words such as "high" mostly belong to the relation.
_DOSES = frozenset({"dosage", "dose"})
#: A modifier in front of a noun that names what causes it.
_MODIFIER = re.compile(r"(?<!\S)\S+[-\u2010\u2011\u2013]\w+ed $")
#: Quantifiers, which narrow a claim.
_ALL = frozenset({"all", "alone", "always", "barely", "every", "hardly", "most", "never", "only", "rarely", "seldom"})
#: Endings of adverbs that are not those of nouns and adjectives such as "family" and "elderly".
_ADVERB = re.compile(r"\w{3}(?:ab|al|ant|ed|ent|ful|ib|id|ing|ive|ous)ly$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two ends, as a claim states it.

    Attributes:
        ends: Keys of two concepts or phrases (see `groundwork.reading.tree`), in the order of the claim.
        mentions: The first mention of each end in the claim.
        meanings: For each end, the keys of the concepts that its name may mean in an article (`claims.meanings`).
        sign: +1 if more of one end goes with more of the other, -1 if it goes with less of the other, 0 for a relation
            without a sign.
        negated: Whether the claim denies the relation.
        hedged: Whether the claim only says that the relation may hold.
        acts: The end that acts on the other; None if the claim does not tell.
        directed: Whether the ends have fixed roles. False for verbs that only say how two things change together
            (`VERB_SIGNS`).
        clear: How clearly the claim states its sign, if it has one (`PairReading.clear`). Evidence in the same words is
            as clear, and then decides.
        predicate: The words that state the relation: those between the ends in the parse, in order.
        rest: The other content words and concepts of the claim, as written there, by lemma or concept key.
    """

    ends: tuple[str, str]
    mentions: tuple[Mention, Mention]
    meanings: tuple[frozenset[str], frozenset[str]]
    sign: Sign
    negated: bool
    hedged: bool
    acts: str | None
    directed: bool
    predicate: tuple[Word, ...]
    rest: dict[str, str]
    clear: float


@dataclass(frozen=True, slots=True)
class _Read:
    """What a claim states about two of its ends: keys, the sentence as it was read, and the reading."""

    keys: tuple[str, str]
    marked: Marked
    reading: PairReading


def statement_of(claim: Claim, reader: Encoder) -> Statement | None:
    """Read a claim; None if no relation between two ends can be read in it, or if its verb does not decide it.

    The ends are concepts. If the main verb relates none, they are whole noun phrases: "insulin receptor expression".
    A claim is also unread if its sentence only raises it ("we hypothesized that"), and if it compares its ends with
    another concept ("more toxic than"), because the reading of a sentence says nothing about a comparison.
    """
    mentions = [mention for mention in claim.mentions if mention.key]
    tree = parse_mended(claim.text, mentions)
    if len({mention.key for mention in mentions}) < 2:
        tree = with_phrases(tree)
    read = next((each for each in _stated_pairs(tree, reader) if _depends_on_verb(each, tree, reader)), None)
    if read is None:
        tree = with_phrases(tree, whole=True)
        pairs = (each for each in _stated_pairs(tree, reader) if _by_main_verb(tree, *_firsts(tree, each.keys)))
        read = next((each for each in pairs if _depends_on_verb(each, tree, reader)), None)
    if read is None or _compares(tree):
        return None
    ends = _firsts(tree, read.keys)
    reading = read.reading
    told = _told(claim, read, reader)
    if not told.asserted:
        return None
    likeliest = max(("up", reading.up), ("down", reading.down), ("related", reading.related), key=lambda each: each[1])
    sign: Sign = {"up": 1, "down": -1}.get(likeliest[0], 0)  # type: ignore[assignment]
    if reading.negated and _turns(read, tree, reader) is False:
        sign = 0  # the denial is of every relation
    acting = read.keys[reading.acts] if reading.acts is not None else None
    path = _path(tree, *ends)
    between = {word.index: word for word in (*path[0], path[1], *path[2]) if word.mention is None} if path else {}
    return Statement(
        read.keys,
        ends,
        (meanings(ends[0]), meanings(ends[1])),
        sign,
        reading.negated,
        told.hedged > max(told.result, told.denied),
        acting,
        acting is not None and (path is None or path[1].lemma not in VERB_SIGNS),
        tuple(between[index] for index in sorted(between)),
        _rest(tree, ends),
        reading.clear,
    )


def marks(text: str, one: Sequence[Mention], other: Sequence[Mention], types: tuple[str, str]) -> Marked | None:
    """Return a sentence with the mentions of two ends marked; None if all mentions of one end overlap the other's.

    A mention inside a mention of the other end is no mention of its own: "X" in "X-induced Y". For a third drug, the
    end is all of "X-induced Y", because what X does is not what the sentence says of the drug.
    """
    first, second = _apart(one, other), _apart(other, one)
    if not (first and second):
        return None
    return Marked(text, _induced(text, first, second), _induced(text, second, first), types)


def _induced(text: str, own: Spans, others: Spans) -> Spans:
    """Return spans, extended over a modifier such as "X-induced" before them, unless it contains a span of `others`."""
    begins = [(_MODIFIER.search(text, 0, start), start, end) for start, end in own]
    return tuple(
        (found.start(), end) if found and all(b <= found.start() or start <= a for a, b in others) else (start, end)
        for found, start, end in begins
    )


def _apart(own: Sequence[Mention], others: Sequence[Mention]) -> Spans:
    """Return the places of mentions that are not inside, or equal to, a longer mention of the other end."""
    return tuple(
        (m.start, m.end)
        for m in own
        if not any(o.start < m.end and m.start < o.end and o.end - o.start >= m.end - m.start for o in others)
    )


def _stated_pairs(tree: Tree, reader: Encoder) -> list[_Read]:
    """Return the readings of all pairs of concepts (or phrases) that are related, the most probable relation first.

    A pair related by the main verb comes before a pair within a phrase: "A reverses B-induced C" relates A and C.
    """
    named: dict[str, list[Mention]] = {}
    for mention in tree.mentions:
        named.setdefault(str(mention.key), []).append(mention)
    found: list[_Read] = []
    for one, other in combinations(list(named)[:MOST_ENDS], 2):
        marked = marks(tree.text, named[one], named[other], (split_key(one)[0], split_key(other)[0]))
        if marked is not None:
            found.append(_Read((one, other), marked, reader.read([marked])[0]))
    stated = [each for each in found if _stated(each.reading)]
    by_verb = {each.keys: _by_main_verb(tree, *_firsts(tree, each.keys)) for each in stated}
    return sorted(stated, key=lambda each: (by_verb[each.keys], each.reading.any), reverse=True)


def _firsts(tree: Tree, keys: tuple[str, str]) -> tuple[Mention, Mention]:
    """Return the first mention of each of two ends."""
    one, other = (next(mention for mention in tree.mentions if mention.key == key) for key in keys)
    return one, other


def _told(claim: Claim, read: _Read, reader: Encoder) -> PairReading:
    """Return the reading of a claim in its sentence, if the sentence frames it ("we suspect that"), or else alone."""
    own = read.marked
    place = re.search(rf"(?<=\bthat ){re.escape(own.text.rstrip('.!'))}", claim.sentence, re.I)
    if place is None:
        return read.reading
    spans = moved(own.one, 0, place.start()), moved(own.other, 0, place.start())
    return reader.read([Marked(claim.sentence, *spans, own.types)])[0]


def _compares(tree: Tree) -> bool:
    """Return whether a claim compares something with a concept ("more toxic than warfarin")."""
    compared = (tree.subtree(word) for word in tree.words if word.lemma == "than")
    return any(word.mention is not None for words in compared for word in words)


def _stated(read: PairReading) -> bool:
    """Return whether a claim states or denies a relation, and its sign, if it has one, is clear."""
    if not read.asserted or read.none >= max(read.up, read.down, read.related):
        return False
    more, less = max(read.up, read.down), min(read.up, read.down)
    return more < read.related or clearness(more, less) >= CLEAR


def _depends_on_verb(read: _Read, tree: Tree, reader: Encoder) -> bool:
    """Return whether the reading of a claim changes if its verb is turned, and if it is denied, as far as it can be.

    A verb that has an opposite states a sign. So a reading without one does not come from this verb.
    """
    own = read.reading
    signed = max(own.up, own.down) > own.related
    if turned(tree) is not None and not (signed and _turns(read, tree, reader)):
        return False
    if own.negated or is_denied(tree):
        return own.negated
    change = denied(tree)
    return change is None or _changed(read, change, reader).negated


def _turns(read: _Read, tree: Tree, reader: Encoder) -> bool | None:
    """Return whether the sign of a claim turns with its verb and nothing is denied; None if no opposite is known."""
    change = turned(tree)
    if change is None:
        return None
    own, other = read.reading, _changed(read, change, reader)
    return other.none >= 0.5 or (other.sign != own.sign and other.negated == own.negated)


def _changed(read: _Read, change: Change, reader: Encoder) -> PairReading:
    """Return the reading of a claim after a change of its words."""
    marked = read.marked
    spans = change.moved(marked.one), change.moved(marked.other)
    return reader.read([Marked(change.text, *spans, marked.types)])[0]


def _path(tree: Tree, one: Mention, other: Mention) -> tuple[list[Word], Word, list[Word]] | None:
    """Return the path between two mentions in the parse, as `Tree.path` does."""
    return tree.path(*(tree.places[tree.mentions.index(each)] for each in (one, other)))


def _by_main_verb(tree: Tree, one: Mention, other: Mention) -> bool:
    """Return whether the path between two mentions in the parse goes up to the root (the main verb) and down again."""
    path = _path(tree, one, other)
    return path is not None and bool(path[0] and path[2]) and path[1].head == path[1].index


def _rest(tree: Tree, ends: Sequence[Mention]) -> dict[str, str]:
    """Return the content of `Statement.rest`: all content but the ends, the relation, negation and hedging."""
    stating = {word.index for word in tree.words if category(word.lemma) and tree.words[word.head].lemma not in _DOSES}
    stating |= set(context(tree))
    said = {end.text.lower() for end in ends}
    free = (word for word in tree.words if word.index not in stating and word.mention is None)
    taxa = {organism_of(match) for end in ends for match in end.alternatives[:1]}  # "mouse Trp53" is the gene of mice
    words = [
        word
        for word in free
        if telling(word.lemma, "JJ" if word.dep == "amod" else word.tag) and word.text.lower() not in said
    ]
    told = [(start, end) for start, end, taxon in organism_places(tree.text) if taxon in taxa]
    words = [word for word in words if not any(start <= word.start < end for start, end in told)]
    others = [each for each in tree.mentions if each.key not in {end.key for end in ends}]
    phrases = {form: word for each in others if is_phrase(each.key) for form, word in _telling(each.text)}
    known = {str(each.key): each.text for each in others if not is_phrase(each.key)}
    return {word.lemma: word.text for word in words} | phrases | known


def _telling(phrase: str) -> Iterator[tuple[str, str]]:
    """Yield (singular, word) for the words of a noun phrase that narrow a claim (see `telling`)."""
    forms = ((phrase_key(word).partition("|")[2], word) for word in phrase.split())
    return ((form, word) for form, word in forms if form and not category(form) and telling(form, "NN"))


def telling(lemma: str, tag: str) -> bool:
    """Return whether a word narrows a claim, as "all" does.

    Nouns, adjectives, numbers and foreign words narrow a claim, except for the words in general.tsv. Adverbs say how
    sure or how frequent something is. They only narrow a claim if they name a part of the body ("renally").
    """
    if tag.startswith("RB") or _ADVERB.search(lemma):
        return lemma in _ALL or of_adjective(lemma)
    return lemma in _ALL or (tag.startswith(("NN", "JJ", "CD", "FW")) and lemma not in _general())


@lru_cache(maxsize=1)
def _general() -> frozenset[str]:
    """Return the words that do not narrow a claim (general.tsv)."""
    lines = files("knowhd").joinpath("general.tsv").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


#: Number of texts that are read together. The meanings of their names are kept in memory while these texts are read.
_TOGETHER = 256
#: The relation between two concepts for each sign, if the predicate names none.
_CORRELATIONS = {1: "positive_correlate", -1: "negative_correlate", 0: "associate"}


class TripleReader:
    """Reads the claims of texts, split and read as for the judge by rules (`groundwork.ports.claims.ClaimReader`).

    Args:
        graph: Store of the concepts.
        reader: Reader of relations.
    """

    def __init__(self, graph: GraphReader, reader: Encoder) -> None:
        self._graph = graph
        self._reader = reader

    def read(
        self, text: str, *, concepts: Mapping[str, str] | None = None, progress: Progress | None = None
    ) -> Iterator[SaidClaim]:
        """Yield the claims of a text in order; see `ClaimReader.read`."""
        yield from self._claims(text, Linker(self._graph, remember=True, given=concepts), progress or Silent())

    def read_all(self, texts: Iterable[str]) -> Iterator[tuple[SaidClaim, ...]]:
        """Yield the claims of each text; see `ClaimReader.read_all`."""
        waiting = iter(texts)
        while some := list(islice(waiting, _TOGETHER)):
            linker = Linker(self._graph, remember=True)
            linker.all_mentions([statement(readable(text)) for text in some])
            for text in some:
                yield tuple(self._claims(text, linker, Silent()))

    def _claims(self, text: str, linker: Linker, progress: Progress) -> Iterator[SaidClaim]:
        """Yield the claims of a text and its statements without a claim, by their place; without claims, all parts."""
        plain = statement(readable(text))
        claims = RuleClaims(linker, progress).extract(plain)
        found: list[tuple[int, str, Claim | None]] = [(claim.span[0], claim.text, claim) for claim in claims]
        left = missed(claims, plain, linker) if claims else [part.sentence for part in parts(plain)]
        found += [(sentence.start, sentence.text, None) for sentence in left]
        for _, said, claim in sorted(found, key=lambda each: each[0]):
            stated = statement_of(claim, self._reader) if claim is not None else None
            yield SaidClaim(said, _triple(stated) if stated else None)


def _triple(stated: Statement) -> Triple:
    """Return a statement as a triple whose subject is the end that acts."""
    subject, target = stated.mentions
    if stated.acts == stated.ends[1]:
        subject, target = target, subject
    named = predicate_of(stated.predicate).relation
    relation = named if named and relation_sign(named) in {0, stated.sign} else _CORRELATIONS[stated.sign]
    words = " ".join(word.text for word in stated.predicate)
    return Triple(subject, words, relation, target, stated.negated, stated.sign, stated.hedged)
