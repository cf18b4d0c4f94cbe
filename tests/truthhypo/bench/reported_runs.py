"""Small runs for the tests of the report, written by the runner's own writers. They contain hostile text."""

from collections.abc import Sequence
from pathlib import Path

from groundwork.manifest import FileEntry
from truthhypo.bench.measures import rescore
from truthhypo.bench.runs import Entry, Failure, Grounding, Knowledge, Manifest, Run, Verdicts
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import Instance, instance
from truthhypo.hypotheses.options import task_of
from truthhypo.json_files import RecordFile

HOSTILE = "<script>alert('x')</script><img src=http://evil.example/x.png onerror=alert(1)> & \"quoted\""
MODEL, OTHER, FLOOR = "openai:gpt-4o-mini", "rules", "baseline:most_frequent"


def set_of(folder: Path, each: int = 8) -> tuple[Path, tuple[Instance, ...]]:
    """A set with `each` instances of every label of the three tasks."""
    made = []
    for kind, number in (("Chemical", 1000), ("Disease", 2000), ("Gene", 3000)):
        for n in range(3 * each):
            key = f"{kind}|{number + n}" if kind == "Gene" else f"{kind}|MESH:D{number + n}"
            tail = f"Gene|{9000 + n}"
            made.append(
                instance(key, tail, task_of(key, tail).labels[n % 3], f"{kind} {n}", HOSTILE if n == 0 else f"G{n}")
            )
    dataset.write(folder, made)
    return folder, tuple(made)


def run_of(
    folder: Path,
    place: Path,
    instances: Sequence[Instance],
    models: Sequence[str] = (MODEL, OTHER, FLOOR),
    mode="sound",
    samples=3,
    chains=1,
    settings: Sequence[str] = ("parametric", "kg+lit"),
    undecided: int | None = None,
) -> Path:
    """A run over a set. In sample 0, model n is wrong on every (n + 2)th instance, and with kg+lit on every (n + 3)th.

    `MODEL` fails on the instance at place 5. `OTHER` is undecided on the instance at place `undecided`. `FLOOR` gives one sample, the other models give `samples`.
    """
    counts: dict[str, dict[str, int]] = {}
    for one in instances:
        labels = counts.setdefault(one.rel_type, {})
        labels[one.relation] = labels.get(one.relation, 0) + 1
    described = {
        "path": str(place),
        "before": 36600000,
        "instances": len(instances),
        "tasks": counts,
        "cases_sha256": FileEntry.of(place / "cases.jsonl").sha256,
        "gold_sha256": FileEntry.of(place / "instances.tsv").sha256,
        "mode": mode,
        "leaks": [],
    }
    Run(folder).begin(
        Manifest(
            suite={
                "name": f"small {HOSTILE}",
                "datasets": {"small": {"path": str(place), "before": 36600000, "limit": None}},
                "models": [{"name": model} for model in models],
                "settings": list(settings),
                "judges": ["rules"],
                "select": ["greedy", "majority", "groundedness"],
                "samples": {"n": samples, "seed": 0, "temperature": 0.7},
            },
            versions={"truthhypo": "0.1.0"},
            releases=({"source": "pubtator3", "id": "r1", "sha256": "0" * 64},),
            literature={"documents": 5, "analyzer": "english", "k1": 0.9, "b": 0.4},
            settings={"home": "/x"},
            prompts={"hypothesize": {"version": "1", "sha256": "1" * 64}},
            datasets={"small": described},
            begun="2025-01-31T12:00:00Z",
        )
    )
    with RecordFile(Run(folder).records, unsettled=60.0).appending() as append:
        for number, model in enumerate(models):
            for setting in ("none",) if model == FLOOR else settings:
                for place, one in enumerate(instances):
                    for entry in entries(number, model, setting, place, one, samples, chains, undecided):
                        append(entry.to_dict())
    rescore(Run(folder))
    return folder


def entries(
    number: int, model: str, setting: str, place: int, one: Instance, samples: int, chains: int, undecided: int | None
) -> list[Entry]:
    labels = task_of(one.x_id, one.y_id).labels
    found = []
    for sample in range(1 if model == FLOOR else samples):
        wrong = (place + sample) % (number + 2 + (setting == "kg+lit")) == 0
        answer = labels[(labels.index(one.relation) + wrong) % 3]
        name = f"{one.x_id}~{one.y_id}"
        if place == 5 and model == MODEL:
            failed = Failure("reply", f"no JSON in {HOSTILE}")
            found.append(Entry("small", name, model, setting, sample, sample, None, failure=failed, seconds=0.5))
            continue
        if place == undecided and model == OTHER:
            found.append(Entry("small", name, model, setting, sample, sample, None, "No sign prevails."))
            continue
        share = 0.25 if wrong else 0.75
        claims = tuple(
            Verdicts(
                f"{HOSTILE} {n}", verdict, "not_enough", verdict, ("Chemical|MESH:D1|treat|Gene|9", "12345678"), HOSTILE
            )
            for n, verdict in enumerate(("supported", "contradicted", "failed"))
        )
        judged = {} if model == FLOOR else {"rules": Grounding(share / 2, share, share, 0.25, claims, None, 0.1)}
        found.append(
            Entry(
                "small", name, model, setting, sample, sample, answer, rationale=f"Since {HOSTILE}.",
                knowledge=None if setting != "kg+lit" else Knowledge(chains, 7, (f"Gene|1 treat {HOSTILE}",), (12345678, 999), "0" * 64),
                groundedness=judged, candidates={HOSTILE: 0.5} if model == FLOOR else {}, seconds=0.25,
            )
        )  # fmt: skip
    return found
