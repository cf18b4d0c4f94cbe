"""The settings of a risk check (`Terms`): every parameter on which a result depends, with validation."""

from collections.abc import Iterable
from dataclasses import dataclass

from fuzzygraph.membership import S0, Form, K, Membership
from fuzzygraph.paths.lanes import Weights
from fuzzygraph.scales import apart, scale
from fuzzygraph.support import AGGREGATES, CONTRADICTING, Aggregate, Contradicting
from groundwork.errors import InputError
from groundwork.records import Record, Release

#: Sources of k and s0 besides `similarity:ID`: the default values for MiniLM, or values given by the user.
DEFAULT, GIVEN = "default", "given"


@dataclass(frozen=True, slots=True)
class Terms(Record):
    """The settings with which a risk is computed.

    Attributes:
        form: Formula that turns a cosine into a membership mu; see `fuzzygraph.membership`.
        alpha: Factor by which mu is multiplied to give the probability of a similarity edge, in (0, 1]. It is also the
            probability of `contradicts` edges.
        tau_min: Minimum belief of a relation edge, and minimum mu (before the factor alpha) of a similarity edge, in
            [0, 1]. `contradicts` edges are always used.
        hops: Maximum length of a path in edges, 1 to 4.
        aggregate: The aggregate from which p_net is computed.
        contradiction: `signed`, or the `inverted` weights of the paper; see `support.weigh`.
        paths: Maximum number of paths to list per claim.
        before: Use only evidence with a PMID up to this one; None for all.
        k: Steepness of `scaled`, > 0; other forms ignore it.
        s0: Cosine at which `scaled` gives 0.5; other forms ignore it.
        fit: Source of k and s0: `default`, `given`, or `similarity:ID` with the id of a set of similarity edges. If
            several live sets differ in k or s0, their ids are joined by +, newest first. Then k and s0 are those of
            the newest set, and the edges of each older set use the older set's own k and s0.

    Raises:
        InputError: A number is out of range, or a name is unknown.
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
                raise InputError(f"{name} = {value}", wanted, f"choose another value of the argument `{name}`")

    def weights(self, syst: float, rand: float) -> Weights:
        """Return the parameters of edge probabilities: the values of these settings and two error rates.

        `syst` and `rand` are the systematic and the random error rate in the formula for an edge's belief.
        """
        return Weights(Membership(self.form, self.k, self.s0), self.alpha, self.tau_min, syst, rand)


def fitted(releases: Iterable[Release]) -> tuple[float, float, str]:
    """Return k, s0 and `Terms.fit` from the graph's similarity edges. If there are several sets, the newest decides.

    A set made in another form than `scaled` has no k and s0. Then the default values (those of MiniLM) are returned.
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
    """Return the live set of similarity edges that was loaded last, if any."""
    sets = [one for one in releases if one.state == "live" and one.similarity is not None]
    return max(sets, key=lambda one: one.order, default=None)


def scaling(releases: Iterable[Release], form: Form, k: float | None, s0: float | None) -> tuple[float, float, str]:
    """Return k, s0 and `Terms.fit`: the given values or, if none is given, those of the graph's similarity edges.

    Raises:
        InputError: Only one of k and s0 is given, or they are given with another form than `scaled`.
    """
    if k is None and s0 is None:
        return fitted(releases)
    if form != "scaled" or k is None or s0 is None:
        raise InputError(
            f"form {form}, k = {k}, s0 = {s0}",
            "both k and s0, with form scaled",
            "give both the argument `k` and the argument `s0`, or neither to use those of the graph's similarity edges",
        )
    return k, s0, GIVEN
