"""The settings of a risk check (`Terms`): the options of paths, with the k and s0 that were used."""

from collections.abc import Iterable
from dataclasses import dataclass

from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.options import PathOptions, RiskOptions
from fuzzygraph.paths.lanes import Weights
from fuzzygraph.scales import apart, scale
from groundwork.options import entries
from groundwork.records import Record, Release

#: Sources of k and s0 besides `similarity:ID`: the default values for MiniLM, or values given by the user.
DEFAULT, GIVEN = "default", "given"
#: Source of the coefficients that come with the program.
SHIPPED = "shipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(Record, PathOptions):
    """The settings with which a risk is computed: the options of paths, and the parameters of the form `scaled`.

    Attributes:
        k: Steepness of `scaled`, > 0; other forms ignore it.
        s0: Cosine at which `scaled` gives 0.5; other forms ignore it.
        fit: Source of k and s0: `default`, `given`, or `similarity:ID` with the id of a set of similarity edges. If
            several live sets differ in k or s0, their ids are joined by +, newest first. Then k and s0 are those of
            the newest set, and the edges of each older set use the older set's own k and s0.
        coefficients: Source of the coefficients of the score `calibrated`: `shipped`, or `fitted` with the
            date and a checksum of the fit under HOME. The score `paper` ignores it.

    Raises:
        InputError: A number is out of range, or a name is unknown.
    """

    k: float = K
    s0: float = S0
    fit: str = DEFAULT
    coefficients: str = SHIPPED

    @classmethod
    def of(cls, options: RiskOptions, releases: Iterable[Release], coefficients: str = SHIPPED) -> "Terms":
        """Return the settings for the options of a check. `releases` are those of the graph, for k and s0."""
        k, s0, fit = scaling(releases, options.k, options.s0)
        held = {entry.name: getattr(options, entry.name) for entry in entries(PathOptions)}
        return cls(**held, k=k, s0=s0, fit=fit, coefficients=coefficients)

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


def scaling(releases: Iterable[Release], k: float | None, s0: float | None) -> tuple[float, float, str]:
    """Return k, s0 and `Terms.fit`: the given values or, if none is given, those of the graph's similarity edges."""
    return fitted(releases) if k is None or s0 is None else (k, s0, GIVEN)
