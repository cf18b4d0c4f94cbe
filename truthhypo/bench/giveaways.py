"""Test whether the labels of a dataset can be guessed from simple features, without knowledge.

The results come from the dataset's card, or are measured if there is no card. They are part of a run's manifest.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from truthhypo.bench.sets import Case, names_of
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.leaks import ALL, probe, rules
from truthhypo.hypotheses.tasks import NO_RELATION
from truthhypo.hypotheses.traits import Known, read_species

#: Keys of the result of `measured`.
KEYS = ("leaks", "probed", "probe", "rules", "unprobed")
#: Best accuracy of trivial features on the three-way labels of the published dataset, in earlier measurements that did
#: not group the folds by concept.
ELSEWHERE = 0.705


def measured(table: Path, species: str | None) -> dict[str, Any]:
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
    names = names_of(Case(**each.case()) for each in instances)
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


def verdict(held: Mapping[str, Any], task: str) -> str:
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


def warnings(held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the warnings about a dataset's labels for readers of the report, one line per warning.

    Args:
        held: The dataset's part of a manifest; manifests of older versions have fewer keys.
    """
    if verdict(held, ALL) == "not probed":
        why = held.get("unprobed") or "the run was started by a version that did not probe sets without a card"
        yield f"it was not tested whether its labels leak: {why}"
    if held["leaks"]:
        shown = "".join(f"; {each}" for each in _figures(held.get("probe", ()), held["leaks"]))
        named = ", ".join("all tasks pooled" if task == ALL else task for task in held["leaks"])
        yield f"trivial features predict the labels of {named}{shown}"
    if counted := held.get("rules"):
        yield from _rules(counted, _majority(held["tasks"]))
        if counted["no_human_gene"] is None and held["mode"] is None:
            yield "it was not tested whether species predict labels: set `species` of the dataset to NCBI's gene_info"


def relation_accuracy(held: Mapping[str, Any]) -> float | None:
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


def _figures(probes: Sequence[Mapping[str, Any]], leaking: Sequence[str]) -> Iterator[str]:
    """Yield the results of the model with the highest AUROC.

    The results are those of all tasks pooled if the pooled labels leak, and otherwise those of the first leaking task.
    """
    told = ALL if ALL in leaking else leaking[0]
    for each in probes:
        if each["task"] == told:
            model, figure = max(each["auroc"].items(), key=lambda item: item[1]["value"])
            right = each["accuracy"][model]["value"]
            yield (
                f"{told}, {model}: AUROC {figure['value']:.3f} ({figure['low']:.3f}-{figure['high']:.3f}), "
                f"accuracy {right:.3f} (majority {each['majority']:.3f})"
            )


def _rules(counted: Mapping[str, Any], majority: float) -> Iterator[str]:
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


def _majority(tasks: Mapping[str, Mapping[str, int]]) -> float:
    """Return the share of the more frequent class (related or unrelated) among all instances."""
    total = sum(sum(labels.values()) for labels in tasks.values())
    unrelated = sum(labels.get(NO_RELATION, 0) for labels in tasks.values())
    return max(unrelated, total - unrelated) / total
