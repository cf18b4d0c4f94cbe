"""The leak probe: tests whether features without any biology predict the labels of a benchmark set.

Logistic regression and gradient boosting use all features at once: those of each concept (`TRAITS`), such as the
length of its name, and those of the pair (`features`), such as the order of its two ids. In cross-validation,
instances with the same first concept are all in the training data or all in the test data. The probe needs
scikit-learn (extra `bench`), whose import is slow. Its results are part of a set's card and of a run's manifest.
"""

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import log1p
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.records import Record, split_key
from groundwork.statistics import auroc, bootstrap
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import Instance, names_of
from truthhypo.hypotheses.options import NO_RELATION

Matrix = NDArray[np.float64]
#: The species that are distinguished, with their NCBI taxonomy ids. All other species count as one.
SPECIES = {"human": "9606", "mouse": "10090", "rat": "10116"}
#: Names of the features of a concept, in order. The first `KINDS` features are 0 or 1 and distinguish kinds of concept.
TRAITS = (
    *("mesh_descriptor", "mesh_supplement", "omim"),
    *SPECIES,
    *("other_species", "nameless"),
    *("id_magnitude", "name_length", "name_words", "name_digits", "name_capitals", "name_marks"),
    *("degree", "degree_seen", "degree_unseen", "articles", "mentions"),
)
KINDS = 3 + len(SPECIES) + 2
#: Minimum number of rows in a leaf of a boosted tree: LEAF (scikit-learn's default), or LEAF_SHARE of all rows if that
#: is smaller.
LEAF = 20
LEAF_SHARE = 0.1
#: A set of mode `sound` fails if the lower bound of an AUROC is above this value.
LIMIT = 0.55
#: Number of folds of the cross-validation, and minimum number of instances of each class (related and unrelated).
FOLDS = 10
LEAST = 20
#: An AUROC interval at least this wide could hide a leak. A narrower interval needs about 130 instances.
WIDE = 0.2
#: "leaks": the lower bound of the AUROC interval is above LIMIT. "none found": this bound is not above LIMIT, and the
#: interval is narrower than WIDE. "too small": the interval is not narrower than WIDE, or there are too few instances
#: for an AUROC.
Verdict = Literal["leaks", "none found", "too small"]
#: The results, worst first.
WORST: tuple[Verdict, ...] = ("leaks", "too small", "none found")
#: Name of the probe of all tasks together.
ALL = "all"
Flags = NDArray[np.bool_]
#: Keys of the result of `measured`.
MANIFEST_KEYS = ("leaks", "probed", "probe", "rules", "unprobed")
#: Best accuracy of trivial features on the three-way labels of the published dataset, in earlier measurements that did
#: not group the folds by concept.
ELSEWHERE = 0.705


@dataclass(frozen=True, slots=True)
class Standing:
    """Counts of a concept's edges, articles and mentions in a release.

    Attributes:
        degree: Number of relation edges in the whole release.
        seen: Number of edges with an article up to `release.Cuts.seen_to`.
        unseen: Number of edges with an article from `release.Cuts.unseen_from` on.
        articles: Sum of the numbers of articles of the concept's edges.
        mentions: Number of mentions of the concept's names.
    """

    degree: int = 0
    seen: int = 0
    unseen: int = 0
    articles: int = 0
    mentions: int = 0


@dataclass(frozen=True)
class Known:
    """Names, counts and species of concepts.

    Attributes:
        names: Preferred names by key.
        standing: Counts in the release, by key; empty if the release is not available.
        species: NCBI taxonomy id by gene id; empty if no list was given.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    standing: Mapping[str, Standing] = field(default_factory=dict)
    species: Mapping[str, str] = field(default_factory=dict)

    def rows(self, keys: Sequence[str]) -> Matrix:
        """Return the features of concepts, one row per concept, with the columns `COLUMNS`."""
        return np.array([self._row(key) for key in keys], float).reshape(len(keys), len(TRAITS))

    def taxon(self, key: str) -> str | None:
        """Return the NCBI taxonomy id of a gene, or None if it is unknown or the concept is not a gene."""
        kind, ident = split_key(key)
        return self.species.get(ident) if kind == "Gene" else None

    def _row(self, key: str) -> list[float]:
        ident = split_key(key)[1]
        taxon, name = self.taxon(key), self.names.get(key, ident)
        standing = self.standing.get(key, Standing())
        known = [taxon == wanted for wanted in SPECIES.values()]
        counts = (standing.degree, standing.seen, standing.unseen, standing.articles, standing.mentions)
        return [
            ident.startswith("MESH:D"),
            ident.startswith("MESH:C"),
            ident.startswith("OMIM:"),
            *known,
            taxon is not None and not any(known),
            name == ident,
            magnitude(key),
            *_form(name),
            *map(log1p, counts),
        ]


def magnitude(key: str) -> float:
    """Return log(1 + n), where n is the number in an id. It is small for concepts that were catalogued early."""
    digits = re.sub(r"\D", "", split_key(key)[1])
    return log1p(int(digits[:18])) if digits else 0.0


def read_species(path: Path) -> dict[str, str]:
    """Read the taxon of each gene from NCBI's gene_info (plain or .gz), whose first columns are taxon and GeneID.

    Raises:
        InputError: The file cannot be read completely or has no row, or a row does not begin with two numbers.
    """
    found: dict[str, str] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#") or not line.strip():
                    continue
                taxon, _, rest = line.partition("\t")
                gene = rest.partition("\t")[0].strip()
                if not (taxon.isdecimal() and gene.isdecimal()):
                    raise InputError(
                        f"{path}:{number}: {line[:80]!r}", "a taxon, a tab, a GeneID", "give NCBI's gene_info"
                    )
                found[gene] = taxon
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "NCBI's gene_info, plain or .gz", "give a complete file") from error
    if not found:
        raise InputError(f"{path} names no gene", "rows of taxon and GeneID", "give NCBI's gene_info")
    return found


def _form(name: str) -> Iterable[float]:
    """Yield features of a name: length, number of words, and shares of digits, capitals and punctuation."""
    length = max(1, len(name))
    yield log1p(len(name))
    yield float(len(name.split()))
    yield sum(map(str.isdigit, name)) / length
    yield sum(map(str.isupper, name)) / length
    yield sum(not letter.isalnum() and not letter.isspace() for letter in name) / length


def check_installed(whose: str) -> None:
    """Check that scikit-learn is installed.

    Args:
        whose: Name of the part of this program that needs scikit-learn.

    Raises:
        InputError: scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        wanted, mend = "the extra `bench`", "install it: pip install 'truthhypo[bench]'"
        raise InputError(f"{whose} needs scikit-learn, which is not installed", wanted, mend)


def learner(boosted: bool, seed: int, rows: int) -> Any:
    """Return an untrained model for this number of rows: gradient boosting if `boosted`, else logistic regression."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if boosted:
        leaf = min(LEAF, max(1, int(LEAF_SHARE * rows)))
        return HistGradientBoostingClassifier(
            max_iter=80, max_leaf_nodes=8, min_samples_leaf=leaf, random_state=seed, early_stopping=False
        )
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


@dataclass(frozen=True, slots=True)
class Figure(Record):
    """A measured value in [0, 1] with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """The result of the probe if this figure is an AUROC. It is "too small" if the interval could hide a leak."""
        if self.low > LIMIT:
            return "leaks"
        return "none found" if self.high - self.low < WIDE else "too small"


@dataclass(frozen=True, slots=True)
class Probe(Record):
    """The result of the leak probe for one task: how well the features predict the labels.

    Attributes:
        task: Name of the task, or `all`.
        n: Number of instances.
        majority: Share of the larger class (related or not), as a baseline for the accuracy.
        auroc: AUROC of related against no_relation, by model (`logistic`, `gradient_boosting`); empty if there are too
            few instances.
        accuracy: Share of instances predicted correctly as related or not, by model.
        relation_accuracy: Share of instances with correctly predicted label (one of three), by model.
    """

    task: str
    n: int
    majority: float
    auroc: Mapping[str, Figure]
    accuracy: Mapping[str, Figure]
    relation_accuracy: Mapping[str, Figure]

    @property
    def leaks(self) -> bool:
        """Whether a model predicts related pairs better than `LIMIT` allows."""
        return self.verdict == "leaks"

    @property
    def verdict(self) -> Verdict:
        """The worst result over the models, or "too small" if the task was not probed."""
        told = {figure.verdict for figure in self.auroc.values()}
        return next((verdict for verdict in WORST if verdict in told), "too small")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the verdict."""
        return {**Record.to_dict(self), "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """How well single features alone reveal the labels of a set.

    Attributes:
        same_type_pairs: Number of pairs whose two concepts have the same type, by class (`related`, `no_relation`).
        in_order: Number of these pairs in which the first id comes before the second in string order, by class.
        no_human_gene: Accuracy of the rule "a pair is related if it has a human gene, and unrelated otherwise"; None
            without a list of species.
    """

    same_type_pairs: Mapping[str, int]
    in_order: Mapping[str, int]
    no_human_gene: float | None


def rules(instances: Sequence[Instance], known: Known) -> Rules:
    """Measure how well a set's labels can be guessed from those single features that reveal the published labels.

    The published labels are those of the set of paper A.
    """
    alike = [each for each in instances if each.x_type == each.y_type]
    ordered = [each for each in alike if split_key(each.x_id)[1] < split_key(each.y_id)[1]]
    human = [SPECIES["human"] in (known.taxon(each.x_id), known.taxon(each.y_id)) for each in instances]
    right = [seen == each.related for seen, each in zip(human, instances, strict=True)]
    share = sum(right) / len(right) if known.species and right else None
    return Rules(_by_class(alike), _by_class(ordered), share)


def probe(instances: Sequence[Instance], known: Known, seed: int = 0) -> tuple[Probe, ...]:
    """Probe each task and all tasks together. For a task with too few instances, no model is trained.

    A task has too few instances if one class (related or unrelated) has fewer than `LEAST` instances, or if the pairs
    have fewer than `FOLDS` distinct first concepts.

    Args:
        instances: All instances of the set.
        known: Names, counts and species of the concepts in the set.
        seed: Random seed of the folds, the models and the bootstrap.

    Raises:
        InputError: scikit-learn is not installed.
    """
    matrix = features(instances, known)
    found = []
    for task in (*sorted({each.rel_type for each in instances}), ALL):
        chosen = np.array([task in (each.rel_type, ALL) for each in instances])
        part = [each for each, wanted in zip(instances, chosen, strict=True) if wanted]
        found.append(_probe(task, part, matrix[chosen], seed))
    return tuple(found)


def features(instances: Sequence[Instance], known: Known) -> Matrix:
    """Return the features of the instances, one row per instance: traits of both concepts, then features of the pair.

    Features of the pair: the number of instances with each concept, the order of the two ids as strings and by
    magnitude, whether both concepts have the same known species, and the differences of their traits.
    """
    keys = sorted({key for each in instances for key in (each.x_id, each.y_id)})
    place = {key: number for number, key in enumerate(keys)}
    rows = known.rows(keys)
    degree = Counter(key for each in instances for key in (each.x_id, each.y_id))
    first, second = (rows[[place[getattr(each, end)] for each in instances]] for end in ("x_id", "y_id"))
    magnitude = TRAITS.index("id_magnitude")
    pair = [
        [
            np.log1p(degree[each.x_id]),
            np.log1p(degree[each.y_id]),
            split_key(each.x_id)[1] < split_key(each.y_id)[1],
            known.taxon(each.x_id) is not None and known.taxon(each.x_id) == known.taxon(each.y_id),
        ]
        for each in instances
    ]
    order = (first[:, magnitude] < second[:, magnitude])[:, None]
    return np.hstack([first, second, np.array(pair, float).reshape(len(instances), 4), order, first - second])


def _probe(task: str, instances: Sequence[Instance], matrix: Matrix, seed: int) -> Probe:
    related = np.array([each.related for each in instances])
    labels = np.array([each.relation for each in instances])
    majority = float(max(related.mean(), 1.0 - related.mean()))
    counted = Counter(labels.tolist())
    groups = np.unique([each.x_id for each in instances], return_inverse=True)[1]
    if min(related.sum(), (~related).sum()) < LEAST or len(set(groups)) < FOLDS:
        return Probe(task, len(instances), majority, {}, {}, {})
    auroc, accuracy, relation = {}, {}, {}
    for name in ("logistic", "gradient_boosting"):
        chance = _held_out(name, matrix, related.astype(int), groups, seed)[:, 1]
        auroc[name] = _interval(related, chance, seed, _auroc)
        accuracy[name] = _interval(related, (chance >= 0.5) == related, seed, _mean)
        if task != ALL and len(counted) == 3 and min(counted.values()) >= FOLDS:
            named, coded = np.unique(labels, return_inverse=True)
            told = named[_held_out(name, matrix, coded, groups, seed).argmax(axis=1)]
            relation[name] = _interval(related, told == labels, seed, _mean)
    return Probe(task, len(instances), majority, auroc, accuracy, relation)


def _held_out(name: str, matrix: Matrix, labels: NDArray[Any], groups: NDArray[Any], seed: int) -> Matrix:
    """Return class probabilities by models that were fitted without the instances of the same first concept."""
    check_installed("the leak probe")
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    rows = len(labels) - len(labels) // FOLDS
    model = learner(name == "gradient_boosting", seed, rows)
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    with threadpool_limits(1):  # one thread adds numbers in a fixed order, so results are reproducible
        found: Matrix = cross_val_predict(model, matrix, labels, groups=groups, cv=folds, method="predict_proba")
    return found


def _interval(related: Flags, told: NDArray[Any], seed: int, figure: Any) -> Figure:
    """Return the value of the function `figure`, with its percentile bootstrap interval over instances."""
    low, high = bootstrap(figure, related, told, seed=[seed, len(told)]) or (float("nan"), float("nan"))
    return Figure(*(round(float(each), 6) for each in (figure(related, told), low, high)))


def _mean(_: Flags, right: Flags) -> Matrix:
    found: Matrix = right.mean(axis=-1)
    return found


#: Area under the ROC curve, computed over the last axis.
_auroc = np.vectorize(auroc, signature="(n),(n)->()")


def _by_class(instances: Sequence[Instance]) -> dict[str, int]:
    related = sum(each.related for each in instances)
    return {"related": related, "no_relation": len(instances) - related}


def measure_leaks(table: Path, species: str | None) -> dict[str, Any]:
    """Return the entries for the manifest about features that give away a dataset's labels (see `runs`).

    All instances are used, even if a run asks only some of them. The 2,024 instances of the published dataset take
    20 seconds.

    Args:
        table: File of a dataset without a card.
        species: Path of NCBI's gene_info. With None, species are not distinguished.

    Raises:
        InputError: The list of species cannot be read.
    """
    instances = dataset.read(table)
    names = names_of(each.case() for each in instances)
    known = Known(names, species=read_species(Path(species)) if species else {})
    counted = rules(instances, known).to_dict()
    try:
        found = probe(instances, known)
    except InputError as error:  # a run works without scikit-learn, but the probe needs it
        return {"unprobed": str(error), "rules": counted}
    return {
        "leaks": [each.task for each in found if each.leaks],
        "probed": [each.task for each in found if each.verdict != "too small"],
        "probe": [each.to_dict() for each in found],
        "rules": counted,
    }


def leak_verdict(held: Mapping[str, Any], task: str) -> str:
    """Return as text for the report whether the labels of a task, or of all tasks (`all`), leak.

    Args:
        held: The dataset's part of a manifest.
        task: Name of the task, or `all`.
    """
    if held.get("unprobed") or (held["mode"] is None and "probe" not in held):
        return "not probed"
    if task in held["leaks"]:
        return "yes"
    return "not found" if task in held.get("probed", ()) else "too small to tell"


def leak_warnings(held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the warnings about a dataset's labels for readers of the report, one line per warning.

    Args:
        held: The dataset's part of a manifest; manifests of older versions have fewer keys.
    """
    if leak_verdict(held, ALL) == "not probed":
        why = held.get("unprobed") or "the run was started by a version that did not probe sets without a card"
        yield f"it was not tested whether its labels leak: {why}"
    if held["leaks"]:
        shown = ", ".join("all tasks pooled" if task == ALL else task for task in held["leaks"])
        told = ALL if ALL in held["leaks"] else held["leaks"][0]
        for each in (each for each in held.get("probe", ()) if each["task"] == told):
            model, figure = max(each["auroc"].items(), key=lambda item: item[1]["value"])
            shown += (
                f"; {told}, {model}: AUROC {figure['value']:.3f} ({figure['low']:.3f}-{figure['high']:.3f}), "
                f"accuracy {each['accuracy'][model]['value']:.3f} (majority {each['majority']:.3f})"
            )
        yield f"trivial features predict the labels of {shown}"
    if counted := held.get("rules"):
        total = sum(sum(labels.values()) for labels in held["tasks"].values())
        unrelated = sum(labels.get(NO_RELATION, 0) for labels in held["tasks"].values())
        yield from _rule_warnings(counted, max(unrelated, total - unrelated) / total)
        if counted["no_human_gene"] is None and held["mode"] is None:
            yield "it was not tested whether species predict labels: set `species` of the dataset to NCBI's gene_info"


def trivial_accuracy(held: Mapping[str, Any]) -> float | None:
    """Return the accuracy of the best model that predicts the three-way labels from trivial features.

    The result is None if this accuracy was not measured.
    """
    tasks = [each for each in held.get("probe", ()) if each["task"] != ALL]
    models = set.intersection(*(set(each["relation_accuracy"]) for each in tasks)) if tasks else set()
    n = sum(each["n"] for each in tasks)
    return max(
        (sum(each["relation_accuracy"][model]["value"] * each["n"] for each in tasks) / n for model in models),
        default=None,
    )


def _rule_warnings(counted: Mapping[str, Any], majority: float) -> Iterator[str]:
    """Yield warnings about single features: the order of ids in gene pairs, and the species of genes."""
    pairs, ordered = counted["same_type_pairs"], counted["in_order"]
    if pairs["related"] and ordered["related"] == pairs["related"] and ordered["no_relation"] < pairs["no_relation"]:
        yield (
            f"the first id is the lower string in all related gene pairs ({ordered['related']} of {pairs['related']}), "
            f"but only in {ordered['no_relation']} of {pairs['no_relation']} unrelated pairs"
        )
    if (share := counted["no_human_gene"]) is not None and share > majority:
        right = f"{100 * share:.1f} % (majority {100 * majority:.1f} %)"
        yield f"the rule that a pair without a human gene is unrelated is right for {right}"
