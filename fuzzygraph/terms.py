"""The terms of a check: every choice a result hangs on, checked once."""

from collections.abc import Iterable
from dataclasses import dataclass

from fuzzygraph.membership import S0, Form, K, Membership
from fuzzygraph.paths.lanes import Weights
from fuzzygraph.scales import apart, scale
from fuzzygraph.support import AGGREGATES, CONTRADICTING, Aggregate, Contradicting
from groundwork.errors import InputError
from groundwork.records import Record, Release

#: Where k and s0 come from, beside `similarity:ID`: MiniLM's, or whoever asked.
DEFAULT, GIVEN = "default", "given"


@dataclass(frozen=True, slots=True)
class Terms(Record):
    """The terms on which a risk was computed: a named form, never a bare number.

    Attributes:
        form: How a cosine becomes a membership.
        alpha: Scale of similarity edges, in (0, 1].
        tau_min: Weakest edge that is walked, in [0, 1], by its belief or its mu before alpha; what excludes each other
            (`contradicts`) does so wholly, and is walked whatever it is.
        hops: Longest path, 1 to 4.
        aggregate: What p_net is computed from.
        contradiction: `signed`, or the paper's `inverted` weights.
        paths: How many paths to list a claim.
        before: Only evidence with PMID <= this counts; None for all.
        k: Steepness of `scaled`, > 0; the other forms have none, and pass over it.
        s0: Cosine at which `scaled` gives 0.5, likewise.
        fit: Where k and s0 come from: `default`, `given`, or `similarity:ID`, the release of the edges. Where several
            sets of edges are live that differ in k or s0, all of them with + between, newest first: k and s0 are those
            of the first, and edges of the others are walked by their own.

    Raises:
        InputError: A number out of its range, or an unknown name.
    """

    form: Form = "scaled"
    alpha: float = 0.9
    tau_min: float = 0.2
    hops: int = 3
    aggregate: Aggregate = "noisy_or"
    contradiction: Contradicting = "signed"
    paths: int = 20
    before: int | None = None
    k: float = K
    s0: float = S0
    fit: str = DEFAULT

    def __post_init__(self) -> None:
        Membership(self.form, self.k, self.s0)
        for name, value, fits, wanted in (
            ("hops", self.hops, self.hops in range(1, 5), "1 to 4"),
            ("alpha", self.alpha, 0.0 < self.alpha <= 1.0, "above 0, at most 1"),
            ("tau_min", self.tau_min, 0.0 <= self.tau_min <= 1.0, "0 to 1"),
            ("aggregate", self.aggregate, self.aggregate in AGGREGATES, f"one of {', '.join(AGGREGATES)}"),
            ("contradiction", self.contradiction, self.contradiction in CONTRADICTING, " or ".join(CONTRADICTING)),
            ("paths", self.paths, self.paths >= 0, "0 or more"),
        ):
            if not fits:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{name} = {value}", f"{name} {wanted}", f"choose another value for {option}")

    def weights(self, syst: float, rand: float) -> Weights:
        """How likely edges are on these terms, given the errors in an edge's belief."""
        return Weights(Membership(self.form, self.k, self.s0), self.alpha, self.tau_min, syst, rand)


def fitted(releases: Iterable[Release]) -> tuple[float, float, str]:
    """k, s0 and `Terms.fit` for a graph: as its similarity edges were made, of several sets as the one loaded last.

    A set made in another form than `scaled` has none: then MiniLM's stand.
    """
    every = sorted(releases, key=lambda one: -one.order)
    last = newest_set(every)
    if last is None:
        return K, S0, DEFAULT
    if apart(every):
        sets = [one.id for one in every if one.state == "live" and one.similarity is not None]
        return *scale(last), f"{last.source}:{'+'.join(sets)}"
    made = last.similarity
    return (*scale(last), DEFAULT if made is None or made.k is None else f"{last.source}:{last.id}")


def newest_set(releases: Iterable[Release]) -> Release | None:
    """The live set of similarity edges that was loaded last, if there is one."""
    sets = [one for one in releases if one.state == "live" and one.similarity is not None]
    return max(sets, key=lambda one: one.order, default=None)


def scaling(releases: Iterable[Release], form: Form, k: float | None, s0: float | None) -> tuple[float, float, str]:
    """k, s0 and `Terms.fit`: what was given, both or neither, else as the graph's edges were made.

    Raises:
        InputError: One without the other, or either with another form than `scaled`.
    """
    if k is None and s0 is None:
        return fitted(releases)
    if form != "scaled" or k is None or s0 is None:
        raise InputError(
            f"form {form}, k = {k}, s0 = {s0}",
            "both k and s0, and with the form scaled",
            "give both --k and --s0, or neither: then those of the graph's similarity edges are taken",
        )
    return k, s0, GIVEN
