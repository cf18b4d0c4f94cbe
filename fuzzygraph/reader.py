"""Text in, claims out whose ends are linked to concepts: what is read before anything is measured."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fuzzygraph.triples.claims import told
from fuzzygraph.triples.phrases import End
from fuzzygraph.triples.plain import unread
from fuzzygraph.triples.pronouns import shifted
from fuzzygraph.triples.triple import Triple
from groundwork.batch_linking import BatchLinker
from groundwork.characters import statement
from groundwork.language import Sentence, sentences
from groundwork.linking import Linker, Mention
from groundwork.ports import GraphReader, Neighbours, Progress, Silent, watched
from groundwork.readable import readable
from groundwork.surroundings import Surroundings

#: Concept types that a relation's (subject, object) usually have; they decide only between equally good matches.
_TYPES: Mapping[str | None, tuple[str | None, str | None]] = {
    "treat": ("Chemical", "Disease"),
    "prevent": ("Chemical", "Disease"),
    "cause": (None, "Disease"),
    "inhibit": (None, "Gene"),
    "stimulate": (None, "Gene"),
}
#: Texts that are read at a time, where there are many: what their names stand for is kept so long.
_TOGETHER = 256
_NOTHING = Mention("", 0, 0, None, None, 0.0)

#: Where each named concept stands in the text.
Named = Mapping[tuple[int, int], Mention]


@dataclass(frozen=True, slots=True)
class Said:
    """A claim of a text.

    Attributes:
        sentence: The sentence that makes it.
        triple: The claim; None where the sentence makes none.
        subject: What its subject was linked to, if to anything.
        object: Likewise its object.
    """

    sentence: Sentence
    triple: Triple | None
    subject: Mention = _NOTHING
    object: Mention = _NOTHING


@dataclass(frozen=True, slots=True)
class _Text:
    """A text taken apart: its concepts, what it tells of its names, and the claims of each sentence."""

    named: Named
    within: Surroundings
    claims: tuple[tuple[Sentence, tuple[Triple, ...]], ...]


class Reader:
    """Reads the claims of texts.

    Args:
        graph: Where concepts are looked up.
        neighbours: See `Linker`.
    """

    def __init__(self, graph: GraphReader, *, neighbours: Neighbours | None = None) -> None:
        self._graph, self._neighbours = graph, neighbours
        self._linker = Linker(graph, neighbours=neighbours)

    def read(self, text: str, progress: Progress | None = None) -> Iterator[Said]:
        """The claims of a text in order, and for each sentence without any one that says so.

        Args:
            text: Any English text.
            progress: Told of each sentence; None: nobody is.

        Raises:
            InputError: An empty text.
        """
        yield from _linked(_taken_apart(_plain(text), self._linker, progress or Silent()), self._linker)

    def read_all(self, texts: Iterable[str]) -> Iterator[tuple[Said, ...]]:
        """What `read` gives for each text; what the names of many stand for is looked up at once.

        Raises:
            InputError: An empty text.
        """
        every = map(_plain, texts)
        while some := list(islice(every, _TOGETHER)):
            linker = BatchLinker(self._graph, neighbours=self._neighbours)
            linker.expect_texts(some)
            apart = [_taken_apart(text, linker, Silent()) for text in some]
            linker.expect_phrases(end.text for each in apart for end in _unnamed(each))
            for each in apart:
                yield tuple(_linked(each, linker))


def _plain(text: str) -> str:
    return statement(readable(text))


def _taken_apart(text: str, linker: Linker, seen: Progress) -> _Text:
    """The claims of a text whose names are known; pronouns mean what the sentence before said."""
    named = {(mention.start, mention.end): mention for mention in linker.mentions(text)}
    claims: list[tuple[Sentence, tuple[Triple, ...]]] = []
    before: tuple[Triple, ...] = ()
    start = 0
    for sentence in watched(sentences(text), seen, "reading", "sentences"):
        before = _claims(sentence, named, shifted(before, sentence.start - start))
        start = sentence.start
        claims.append((sentence, before))
    return _Text(named, Surroundings.of(text), tuple(claims))


def _claims(sentence: Sentence, named: Named, before: Sequence[Triple]) -> tuple[Triple, ...]:
    """The claims of a sentence of a text, whose names are known and whose pronouns mean what was said before."""
    if unread(sentence.text):
        return ()
    inside = [
        (start - sentence.start, end - sentence.start)
        for start, end in named
        if sentence.start <= start and end <= sentence.end
    ]
    return tuple(told(sentence.text, inside, before))


def _unnamed(text: _Text) -> Iterator[End]:
    """The ends of claims that have to be linked as whole phrases."""
    for sentence, claims in text.claims:
        for end in (end for triple in claims for end in (triple.subject, triple.object)):
            if not end.generic and _place(end, sentence) not in text.named:
                yield end


def _linked(text: _Text, linker: Linker) -> Iterator[Said]:
    """The claims with their ends linked, if they can be."""
    for sentence, claims in text.claims:
        if not claims:
            yield Said(sentence, None)
        for triple in claims:
            prefer = _TYPES.get(triple.relation, (None, None))
            ends = zip((triple.subject, triple.object), prefer, strict=True)
            yield Said(sentence, triple, *(_link(end, sentence, text, kind, linker) for end, kind in ends))


def _link(end: End, sentence: Sentence, text: _Text, prefer: str | None, linker: Linker) -> Mention:
    """The concept of an end: the one named there, else whatever the whole phrase is near to."""
    mention = text.named.get(_place(end, sentence))
    if mention is None:
        if end.generic:
            return Mention(end.text, end.start, end.end, None, None, 0.0)
        return linker.link(end.text, prefer, within=text.within)
    fitting = [match for match in mention.alternatives if match.score == mention.score and match.type == prefer]
    if mention.ambiguous and fitting:
        return replace(mention, key=fitting[0].key, name=fitting[0].name, ambiguous=len(fitting) > 1)
    return mention


def _place(end: End, sentence: Sentence) -> tuple[int, int]:
    return sentence.start + end.word.start, sentence.start + end.word.end
