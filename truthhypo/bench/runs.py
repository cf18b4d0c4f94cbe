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

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.entries import Entry, latest
from truthhypo.json_files import read_json, write_json


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
        return latest(self.records)


def _text(manifest: Manifest, name: str) -> str:
    return json.dumps(getattr(manifest, name), sort_keys=True)


def _asked(manifest: Manifest) -> dict[str, tuple[Any, Any]]:
    """Return the PMID limit and number of instances of each dataset. Paths are left out, because they may change."""
    return {name: (held["before"], held["instances"]) for name, held in manifest.datasets.items()}
