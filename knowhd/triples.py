"""Read the claims of a text as triples of subject, predicate and object: the claims that `ground` judges.

The measure of risk (`fuzzygraph`) uses them, so that it measures exactly what is judged.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from groundwork.characters import statement
from groundwork.layout.parts import parts
from groundwork.linking import Linker
from groundwork.polarity import relation_sign
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.ports.claims import SaidClaim, Triple
from groundwork.readable import readable
from groundwork.reading.encoder import Encoder
from groundwork.reading.predicates import predicate_of
from knowhd.claims.claims import Claim, RuleClaims, missed
from knowhd.rules.statement import Statement, statement_of

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
