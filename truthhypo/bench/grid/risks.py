"""Compute the risks of labelled statements at every point of a grid over form, alpha, tau, hops and aggregate.

The statements are read, linked and joined with their part of the graph once. Between points of the grid only the used
edges and their probabilities change. Path sums for equal edge probabilities are computed once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import product
from statistics import fmean
from typing import Any

from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.membership import S0, K, Scales, apart
from fuzzygraph.options import AGGREGATES, FORMS, Aggregate, Form
from fuzzygraph.risk_report import DEFAULT, Terms
from fuzzygraph.support import Evidence, score, weigh
from groundwork.network import ArticleMask, Network
from groundwork.ports import GraphReader
from groundwork.ports.claims import SaidClaim, Triple
from groundwork.reading.encoder import shipped
from groundwork.vocabulary import SIMILAR_TO, Sign
from knowhd.statement import TripleReader
from truthhypo.bench.grid.data import Gold, LabelledStatement

ALPHAS = (0.5, 0.7, 0.85, 0.9, 1.0)
TAUS = tuple(round(0.1 * step, 1) for step in range(1, 10))
HOPS = (1, 2, 3, 4)
#: Maximum length of a path, over all points of the grid.
MOST = 4
#: Cost of one lookup for paths of length MOST, as a multiple of a usual lookup. The lookup also fetches the edges
#: around the neighbours of both ends.
LOOK_UPS = 8


@dataclass(frozen=True, slots=True)
class Grid:
    """The values to try for the score `paper`, in all combinations.

    `scale` contains k, s0 and fit of the form `scaled`, as in `Terms`.
    """

    forms: Sequence[Form] = FORMS
    alphas: Sequence[float] = ALPHAS
    taus: Sequence[float] = TAUS
    hops: Sequence[int] = HOPS
    aggregates: Sequence[Aggregate] = AGGREGATES
    scale: tuple[float, float, str] = (K, S0, DEFAULT)

    def terms(self) -> Iterator[Terms]:
        """Yield the settings (`Terms`) of every point. The aggregate varies fastest, then the number of hops.

        Raises:
            InputError: A number is out of range, or a name is unknown.
        """
        points = product(self.forms, self.alphas, self.taus, self.hops, self.aggregates)
        for form, alpha, tau, hops, aggregate in points:
            k, s0, fit = self.scale
            yield Terms(
                score="paper",
                form=form,
                alpha=alpha,
                tau_min=tau,
                hops=hops,
                aggregate=aggregate,
                paths=0,
                k=k,
                s0=s0,
                fit=fit,
            )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim whose subject and object were found in the graph, with the part of the graph between the two concepts."""

    subject: str
    object: str
    sign: Sign
    negated: bool
    network: Network
    _likely: dict[Weights, bytes] = field(default_factory=dict, compare=False, repr=False)
    _lanes: dict[bytes, Lanes] = field(default_factory=dict, compare=False, repr=False)
    _weighed: dict[tuple[bytes, int], Evidence] = field(default_factory=dict, compare=False, repr=False)

    def hrs(self, terms: Terms, errors: tuple[float, float]) -> float | None:
        """Return the risk of the claim with these settings, or None if there is no path."""
        weights = terms.weights(*errors)
        if weights not in self._likely:
            told = weights.probabilities(self.network).tobytes()
            self._likely[weights] = blake2b(told, digest_size=16).digest()
        likely = self._likely[weights]
        key = likely, terms.hops
        if key not in self._weighed:
            if likely not in self._lanes:
                self._lanes.clear()  # hops and aggregates vary fastest, so earlier lanes are not needed again
                self._lanes[likely] = lanes(self.network, weights)
            ends = self.subject, self.object
            found = weigh(self._lanes[likely], *ends, terms.hops, claim=self.sign, negated=self.negated, limit=0)
            self._weighed[key] = found
        return score(self._weighed[key], terms.aggregate).hrs


@dataclass(frozen=True, slots=True)
class Item:
    """A labelled statement with its linked claims and their parts of the graph.

    Attributes:
        text: The statement.
        gold: The label of the statement.
        status: The last step that any claim of the statement reached: `no_triple`, `unlinked`, or `no_evidence`
            (subject and object are linked to concepts).
        claims: The claims whose subject and object are two different concepts with links in the graph.
    """

    text: str
    gold: Gold
    status: str
    claims: tuple[Claim, ...]

    def hrs(self, terms: Terms, errors: tuple[float, float]) -> float | None:
        """Return the mean risk of the statement's claims that have a risk, or None if no claim has one."""
        found = [hrs for claim in self.claims if (hrs := claim.hrs(terms, errors)) is not None]
        return fmean(found) if found else None


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A labelled statement with all its claims, as `knowhd.statement.TripleReader` returns them."""

    statement: LabelledStatement
    claims: tuple[SaidClaim, ...]

    @property
    def status(self) -> str:
        """The last step that any claim of the statement reached, as in `Item`."""
        if any(True for _ in self.linked()):
            return "no_evidence"
        return "unlinked" if any(said.triple is not None for said in self.claims) else "no_triple"

    def linked(self) -> Iterator[tuple[str, str, Triple]]:
        """Yield subject key, object key and triple of each claim whose subject and object are linked to concepts."""
        for triple in (said.triple for said in self.claims if said.triple is not None):
            if triple.keys is not None:
                yield *triple.keys, triple


def understood(
    data: Sequence[LabelledStatement], graph: GraphReader, seen: Callable[[], None] = lambda: None
) -> list[ReadStatement]:
    """Return the claims of all statements. All names are looked up together, so the graph must not change meanwhile.

    Args:
        data: The statements.
        graph: Store of the concepts.
        seen: Called after each statement.
    """
    found = []
    for each, claims in zip(data, TripleReader(graph, shipped()).read_all(each.text for each in data), strict=True):
        found.append(ReadStatement(each, claims))
        seen()
    return found


def surrounded(
    statements: Iterable[ReadStatement],
    graph: GraphReader,
    *,
    before: int | None = None,
    without: ArticleMask | None = None,
) -> list[Item]:
    """Add to each claim the part of the graph between its two concepts. Each pair of concepts is looked up once.

    Args:
        statements: Statements with their claims, as `understood` returns them.
        graph: Store of the links. Fastest is an atlas (a memory-mapped copy of the graph), which `charting.reader`
            returns if many pairs are looked up.
        before: Use only evidence with a PMID up to this one.
        without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
    """
    scales = Scales(graph, apart(graph.releases()))
    between: dict[tuple[str, str], Network | None] = {}
    found = []
    for each in statements:
        claims = []
        for subject, target, triple in each.linked():
            if (subject, target) not in between:
                between[subject, target] = _between(graph, scales, subject, target, before, without)
            network = between[subject, target]
            if network is not None:
                sign: Any = triple.sign or 0
                claims.append(Claim(subject, target, sign, triple.negated, network))
        found.append(Item(each.statement.text, each.statement.gold, each.status, tuple(claims)))
    return found


def _between(
    graph: GraphReader,
    scales: Scales,
    subject: str,
    target: str,
    before: int | None,
    without: ArticleMask | None,
) -> Network | None:
    """Return the links that can be on a path between two concepts; None if they are the same or one has no links."""
    if subject == target:
        return None
    network = scales.over(graph.network(subject, target, hops=MOST, before=before, without=without))
    if network.place(subject) is None or network.place(target) is None:
        return None
    return network.within(subject, target, MOST).trimmed(subject, target)


def alike(read: Iterable[Item]) -> bool:
    """Return whether the graph around any claim has a similarity edge.

    Without similarity edges, the form makes no difference, and alpha affects only `contradicts` edges.
    """
    return any(bool(claim.network.of_kind(SIMILAR_TO).any()) for item in read for claim in item.claims)


def risks(
    read: Sequence[Item], grid: Grid, errors: tuple[float, float], seen: Callable[[], None] = lambda: None
) -> list[tuple[Terms, list[float | None]]]:
    """Return the risk of every statement at every point of the grid.

    Args:
        read: The statements.
        grid: The grid of settings.
        errors: Systematic and random error rates in the formula for an edge's belief.
        seen: Called after each point.
    """
    found = []
    for terms in grid.terms():
        found.append((terms, [item.hrs(terms, errors) for item in read]))
        seen()
    return found
