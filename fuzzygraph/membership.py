"""Fuzzy membership mu: the degree to which two concepts are related, from the cosine S of the vectors of their names.

There are three forms. Results carry the name of the form:

    paper    mu = sigmoid(S). The sigmoid of a cosine lies in [0.269, 0.731], so tau_min = 0.2 filters nothing.
    scaled   mu = sigmoid(k (S - s0)), with k and s0 fitted on labelled pairs, so that mu covers (0, 1).
    linear   mu = (1 + S) / 2, in [0, 1].

The default k and s0 were fitted on 2.0 M pairs of MeSH names under MiniLM with mean pooling (siblings in the MeSH tree
against random pairs). The expected calibration error is 0.035, against 0.296 for the paper's form. Other models need
other values.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.options import FORMS, Form
from groundwork import chance
from groundwork.errors import InputError

K = 13.4
S0 = 0.260


@dataclass(frozen=True, slots=True)
class Membership:
    """One form of the membership mu (see the module docstring).

    Attributes:
        form: `scaled`, `paper` or `linear`.
        k: Steepness of `scaled`, > 0.
        s0: Cosine at which `scaled` gives 0.5.

    Raises:
        InputError: The form is unknown, or k <= 0.
    """

    form: Form = "scaled"
    k: float = K
    s0: float = S0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InputError(
                f"form {self.form!r}", f"one of {', '.join(FORMS)}", "choose another value of the argument `form`"
            )
        if not self.k > 0:
            raise InputError(f"steepness k = {self.k}", "k > 0", "use the k that was fitted for the embedder")

    def mu(self, cosine: float) -> float:
        """Return the membership of a cosine in [-1, 1]: a number in [0, 1] that increases with the cosine."""
        if self.form == "paper":
            return chance.sigmoid(cosine)
        if self.form == "linear":
            return min(1.0, max(0.0, (1.0 + cosine) / 2.0))
        return chance.sigmoid(self.k * (cosine - self.s0))

    def mus(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the memberships of many cosines, equal to those of `mu` within rounding."""
        if self.form == "linear":
            found: NDArray[np.float64] = np.clip((1.0 + cosines) / 2.0, 0.0, 1.0)
        else:
            x = cosines if self.form == "paper" else self.k * (cosines - self.s0)
            found = np.exp(-np.logaddexp(0.0, -x))
        return found
