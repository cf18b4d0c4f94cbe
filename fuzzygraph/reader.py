"""Read the claims of texts and link both ends of each claim to concepts, before anything is measured."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from fuzzygraph.triples.extraction import extract
from fuzzygraph.triples.triple import End, Triple
from groundwork.batch_linking import BatchLinker
from groundwork.characters import statement
from groundwork.language import Sentence, sentences
from groundwork.linking import Linker, Mention
from groundwork.ports import GraphReader, Progress, Silent, watched
from groundwork.readable import readable
from groundwork.reading.phrases import is_phrase
from groundwork.reading.placing import within
from groundwork.reading.plain import unread
from groundwork.reading.reader import Reader as RelationReader
from groundwork.surroundings import Surroundings

#: Usual concept types of a relation's (subject, object). They only decide between equally good matches.
_TYPES: Mapping[str | None, tuple[str | None, str | None]] = {
    "treat": ("Chemical", "Disease"),
    "prevent": ("Chemical", "Disease"),
    "cause": (None, "Disease"),
    "inhibit": (None, "Gene"),
    "stimulate": (None, "Gene"),
}
#: Number of texts that are read together. The meanings of their names are kept in memory while these texts are read.
_TOGETHER = 256
_NOTHING = Mention("", 0, 0, None, None, 0.0)


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A claim of a text.

    Attributes:
        sentence: The sentence that makes the claim.
        triple: The claim; None if the sentence makes none.
        subject: The subject with the concept to which it was linked; `key` is None if it was not linked.
        object: The object, in the same form.
    """

    sentence: Sentence
    triple: Triple | None
    subject: Mention = _NOTHING
    object: Mention = _NOTHING


@dataclass(frozen=True, slots=True)
class _Text:
    """A text after reading: its context for the meaning of names (`Surroundings`), and the claims of each sentence."""

    surroundings: Surroundings
    claims: tuple[tuple[Sentence, tuple[Triple, ...]], ...]


class Reader:
    """Reads the claims of texts.

    Args:
        graph: Store of the concepts.
        relations: Reader of relations; by default with the weights of this package.
    """

    def __init__(self, graph: GraphReader, *, relations: RelationReader | None = None) -> None:
        self._graph = graph
        self._relations = relations or RelationReader()

    def read(
        self, text: str, progress: Progress | None = None, given: Mapping[str, str] | None = None
    ) -> Iterator[ReadClaim]:
        """Yield the claims of a text in order. A sentence without claims gives one `ReadClaim` without a triple.

        Args:
            text: Any English text.
            progress: Receives a report after each sentence.
            given: The meaning of names in the text, as a mapping from name to concept key; see `Linker`.

        Raises:
            InputError: The text is empty.
        """
        linker = Linker(self._graph, given=given)
        yield from _linked(self._taken_apart(_plain(text), linker, progress or Silent()), linker)

    def read_all(self, texts: Iterable[str]) -> Iterator[tuple[ReadClaim, ...]]:
        """Yield the claims of each text, as `read` does for one text. The names of many texts are looked up together.

        Raises:
            InputError: A text is empty.
        """
        every = map(_plain, texts)
        while some := list(islice(every, _TOGETHER)):
            linker = BatchLinker(self._graph)
            linker.expect_texts(some)
            apart = [self._taken_apart(text, linker, Silent()) for text in some]
            linker.expect_phrases(_phrase(end) for each in apart for end in _unnamed(each))
            for each in apart:
                yield tuple(_linked(each, linker))

    def _taken_apart(self, text: str, linker: Linker, seen: Progress) -> _Text:
        """Return the claims of each sentence of a text. The ends of these claims are not linked yet."""
        mentions = linker.mentions(text)
        claims = [
            (part, () if unread(part.text) else tuple(extract(part.text, within(mentions, part), self._relations)))
            for part in watched(sentences(text), seen, "reading", "sentences")
        ]
        return _Text(Surroundings.of(text), tuple(claims))


def _plain(text: str) -> str:
    return statement(readable(text))


def _unnamed(text: _Text) -> Iterator[End]:
    """Yield the ends of claims that must be linked as whole phrases."""
    for _, claims in text.claims:
        for end in (end for triple in claims for end in (triple.subject, triple.object)):
            if not end.generic and not _names(end):
                yield end


def _names(end: End) -> bool:
    """Return whether an end is a name found by the linker, rather than a phrase."""
    return end.mention is not None and not is_phrase(end.mention.key)


def _phrase(end: End) -> str:
    """Return the words with which an end is looked up."""
    return end.mention.text if end.mention is not None else end.text


def _linked(text: _Text, linker: Linker) -> Iterator[ReadClaim]:
    """Yield the claims of a text. Their ends are linked to concepts where possible."""
    for sentence, claims in text.claims:
        if not claims:
            yield ReadClaim(sentence, None)
        for triple in claims:
            prefer = _TYPES.get(triple.relation, (None, None))
            ends = zip((triple.subject, triple.object), prefer, strict=True)
            yield ReadClaim(sentence, triple, *(_link(end, text, kind, linker) for end, kind in ends))


def _link(end: End, text: _Text, prefer: str | None, linker: Linker) -> Mention:
    """Return the concept of an end: the concept that it names, else the concept closest to the whole phrase."""
    mention = end.mention
    if mention is None or not _names(end):
        if end.generic:
            return Mention(end.text, 0, len(end.text), None, None, 0.0)
        return linker.link(_phrase(end), prefer, within=text.surroundings)
    fitting = [match for match in mention.alternatives if match.score == mention.score and match.type == prefer]
    if mention.ambiguous and fitting:
        return replace(mention, key=fitting[0].key, name=fitting[0].name, ambiguous=len(fitting) > 1)
    return mention
