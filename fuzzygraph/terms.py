"""The terms of a check: every choice a result hangs on, checked once."""

from dataclasses import dataclass

from fuzzygraph.membership import Form, Membership
from fuzzygraph.paths.lanes import Weights
from fuzzygraph.support import AGGREGATES, CONTRADICTING, Aggregate, Contradicting
from groundwork.errors import InputError
from groundwork.records import Record


@dataclass(frozen=True, slots=True)
class Terms(Record):
    """The terms on which a risk was computed: a named form, never a bare number.

    Attributes:
        form: How a cosine becomes a membership.
        alpha: Scale of similarity edges, in (0, 1].
        tau_min: Weakest edge that is walked, in [0, 1].
        hops: Longest path, 1 to 4.
        aggregate: What p_net is computed from.
        contradiction: `signed`, or the paper's `inverted` weights.
        paths: How many paths to list a claim.
        before: Only evidence with PMID <= this counts; None for all.

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

    def __post_init__(self) -> None:
        Membership(self.form)
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
        return Weights(Membership(self.form), self.alpha, self.tau_min, syst, rand)
