"""Read and write the folder of a run: manifest.json, records.jsonl and, after scoring, measures.json.

**manifest.json** describes the run. It is written once, before the first question, and never changed:

    {"format": 1,
     "suite": {...},                      the suite as it was read, see `suite.Suite`; later runs may set other `limits`
     "versions": {"truthhypo": "0.1.0", "python": "3.11.7", ...},
     "releases": [{"source", "id", "sha256"}, ...],   live releases of the graph, and of the literature
     "literature": {"documents": n, "analyzer": s, "k1": x, "b": x} or null if no setting and no judge uses it,
     "settings": {name: value},           all settings except secrets
     "prompts": {"hypothesize": {"version": "1", "sha256": s}, ...},
     "labels": {"SOURCE:ID": s},          the releases for people to read: with the names of their files, if known
     "datasets": {name: {"path", "before", "instances", "tasks": {task: {label: n}}, "cases_sha256", "gold_sha256",
                         "mode": "paper" | "sound" | null (published), "leaks": [task, ...],
                         "probed": [task, ...],        tasks with enough instances to look for leaks
                         "probe": [...], "rules": {...}, results of the leak probe and of single features: from the
                                                       card, or measured when the run starts if there is no card
                         "unprobed": "why not"}},      only if no probe was possible
     "begun": "2025-01-31T12:00:00Z"}

**records.jsonl** has one line per (dataset, instance, model, setting, sample). Lines are appended as answers arrive and
never changed. If two lines have the same key, the later one counts: a call without a reply is repeated by the next run.
See `Entry` for the fields.

**measures.json** is computed by `bench rescore` from the records and the gold labels; see the module `measures`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from groundwork.errors import InputError
from groundwork.llm.usage import Usage
from groundwork.ports import NO_USAGE
from groundwork.records import Record
from truthhypo.json_files import RecordFile, parsed, read_json, write_json

#: Key of a record: dataset, instance, model, setting, sample.
Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Failure(Record):
    """Why there is no answer.

    Attributes:
        kind: `reply` (the model's reply was unusable even after a repair), `call` (no reply at all; the next run asks
            again), or `data` (a baseline had no other instances to learn from).
        reason: The reason as text.
    """

    kind: Literal["reply", "call", "data"]
    reason: str


@dataclass(frozen=True, slots=True)
class Verdicts(Record):
    """One claim of an answer with a judge's verdicts.

    Attributes:
        text: The claim.
        graph: Verdict by the graph alone: `supported`, `contradicted`, `not_enough` or `failed`.
        literature: Verdict by the literature alone, with the same values.
        both: Verdict by both sources together, with the same values.
        cited: Ids of the edges, chains and sentences on which the verdicts are based.
        reason: The reason in the judge's words.
    """

    text: str
    graph: str
    literature: str
    both: str
    cited: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Grounding(Record):
    """How well an answer's rationale and statement are grounded, by one judge.

    Attributes:
        graph: Groundedness by the graph, in [0, 1]; None if no claim was judged.
        literature: Groundedness by the literature, in the same form.
        both: Groundedness by both sources together, in the same form.
        contradicted: Share of contradicted claims among the claims judged on both sources together; None if no claim
            was judged.
        claims: Each claim with its verdicts.
        failure: The error if judging failed as a whole, so that `claims` is empty; otherwise None.
        seconds: Duration of the judgement.
    """

    graph: float | None
    literature: float | None
    both: float | None
    contradicted: float | None
    claims: tuple[Verdicts, ...]
    failure: str | None = None
    seconds: float = 0.0

    def judged(self, source: str) -> int:
        """Return the number of claims whose verdict by a source (`graph`, `literature`, `both`) is not `failed`."""
        return sum(getattr(claim, source) != "failed" for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Knowledge(Record):
    """The knowledge that an answerer was given for a question. It comes from the stores.

    Attributes:
        chains: Number of chains shown; None if the setting has no graph.
        chains_total: Number of chains found; None if the setting has no graph.
        best: The first few of the chains, each as `KEY relation KEY relation KEY`.
        pmids: PMIDs of the abstracts shown, best first; None if the setting has no literature.
        sha256: SHA-256 of the whole knowledge as it is in the prompt, in hex.
    """

    chains: int | None
    chains_total: int | None
    best: tuple[str, ...]
    pmids: tuple[int, ...] | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry(Record):
    """One line of records.jsonl: an answer, or the reason why there is none.

    Attributes:
        dataset: Name of the dataset in the suite.
        instance: `X_ID~Y_ID`, with the keys of both concepts as in the dataset.
        model: Name of the answerer in the suite; names of baselines begin with `baseline:`.
        setting: Kind of knowledge: `parametric`, `kg`, `lit` or `kg+lit`. For baselines: `none`, `kg` or `lit`.
        sample: Number of the answer: 0 is the greedy answer, and higher numbers are sampled answers.
        seed: Seed of the sample.
        answer: One of the task's three labels; None if there is no answer.
        rationale: The reason in the answerer's words; empty after a failure.
        failure: Why there is no answer; None if there is an answer, or if the rules are undecided.
        candidates: Probability of each label, for answerers that give probabilities; empty for language models.
        knowledge: The knowledge that the answerer was shown; None for baselines and for the setting `parametric`.
        groundedness: Grounding by name of the judge; empty if there was no judge or no answer.
        usage: Calls, tokens, cost etc. of the answer and its judgements, with the keys of `groundwork.ports.NO_USAGE`.
        seconds: Duration of the answer alone.
    """

    dataset: str
    instance: str
    model: str
    setting: str
    sample: int
    seed: int
    answer: str | None
    rationale: str = ""
    failure: Failure | None = None
    candidates: Mapping[str, float] = field(default_factory=dict)
    knowledge: Knowledge | None = None
    groundedness: Mapping[str, Grounding] = field(default_factory=dict)
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))
    seconds: float = 0.0

    @property
    def key(self) -> Key:
        """The key of the record. If several records have the same key, only the last one counts."""
        return self.dataset, self.instance, self.model, self.setting, self.sample

    @property
    def undecided(self) -> bool:
        """Whether there is no answer, but no failure either: no sign prevails for the rules."""
        return self.answer is None and self.failure is None

    @property
    def settled(self) -> bool:
        """Whether a continued run keeps this record. A record of a call without a reply is replaced."""
        return self.failure is None or self.failure.kind != "call"


_ENTRIES = TypeAdapter(Entry)


def latest_entries(path: Path) -> tuple[Entry, ...]:
    """Return the last record of each key in a file of records. An incomplete last line is not a record.

    Raises:
        InputError: A complete line is not a record; the error names file and line.
    """
    found: dict[Key, Entry] = {}
    for number, line in enumerate(RecordFile(path).lines() if path.exists() else (), 1):
        try:
            entry: Entry = parsed(line, _ENTRIES)
        except ValueError as error:
            seen = f"{path}:{number} is not a record: {error}"
            raise InputError(seen, "a line that bench run wrote", "remove the line, and run again") from None
        found[entry.key] = entry
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Manifest(Record):
    """The description of a run. The fields are those of manifest.json (see the docstring of this module)."""

    suite: Mapping[str, Any]
    versions: Mapping[str, str]
    releases: tuple[Mapping[str, str], ...]
    literature: Mapping[str, Any] | None
    settings: Mapping[str, Any]
    prompts: Mapping[str, Mapping[str, str]]
    datasets: Mapping[str, Mapping[str, Any]]
    begun: str
    format: Literal[1] = 1
    labels: Mapping[str, str] = field(default_factory=dict)

    def differs(self, other: "Manifest") -> list[str]:
        """Return the parts in which two manifests differ: suite, releases, literature, prompts, data of a dataset."""
        apart = [name for name in ("releases", "literature", "prompts") if _text(self, name) != _text(other, name)]
        ours, theirs = ({**each.suite, "limits": None, "datasets": None} for each in (self, other))
        if json.dumps(ours, sort_keys=True) != json.dumps(theirs, sort_keys=True) or _asked(self) != _asked(other):
            apart.insert(0, "suite")
        return apart + [
            f"{part} of {name}"
            for name in sorted(self.datasets.keys() & other.datasets.keys())
            for part in ("cases", "gold")
            if self.datasets[name][f"{part}_sha256"] != other.datasets[name][f"{part}_sha256"]
        ]


class Run:
    """The folder of a run.

    Args:
        folder: The folder, which may not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = folder / "records.jsonl"

    def manifest(self) -> Manifest | None:
        """Return the manifest, or None if no run was started in this folder.

        Raises:
            InputError: The manifest cannot be read, or has another format.
        """
        path = self.folder / "manifest.json"
        if not path.exists():
            return None
        return read_json(path, Manifest, "the manifest of a run of this version", "give another folder")

    def begin(self, manifest: Manifest) -> Manifest:
        """Write the manifest. If the folder has one, check that both describe the same run.

        Returns:
            The manifest that is in the folder now.

        Raises:
            InputError: The folder contains another run (the error names the differences), or cannot be written.
        """
        if (held := self.manifest()) is not None:
            self.see(held, manifest)
            return held
        if self.records.exists():
            raise InputError(
                f"{self.folder} has records but no manifest", "a complete run, or an empty folder", "give another --out"
            )
        write_json(self.folder / "manifest.json", manifest.to_dict())
        return manifest

    def see(self, held: Manifest, wanted: Manifest) -> None:
        """Check that the run in the folder is the wanted one.

        Raises:
            InputError: The folder contains another run. The error names the differences.
        """
        if apart := held.differs(wanted):
            raise InputError(
                f"{self.folder} contains a run that differs in: {', '.join(apart)}",
                "the same run, to resume",
                "give another --out, or undo the change",
            )

    def entries(self) -> tuple[Entry, ...]:
        """Return the last record of each (dataset, instance, model, setting, sample).

        An incomplete last line is not a record.

        Raises:
            InputError: A complete line is not a record; the error names file and line.
        """
        return latest_entries(self.records)


def _text(manifest: Manifest, name: str) -> str:
    return json.dumps(getattr(manifest, name), sort_keys=True)


def _asked(manifest: Manifest) -> dict[str, tuple[Any, Any]]:
    """Return the PMID limit and number of instances of each dataset. Paths are left out, because they may change."""
    return {name: (held["before"], held["instances"]) for name, held in manifest.datasets.items()}
