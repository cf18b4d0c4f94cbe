"""A run of the benchmark on the disk: a folder with manifest.json, records.jsonl and, once scored, measures.json.

**manifest.json** says what was asked; it is written once, before the first question, and never changed:

    {"format": 1,
     "suite": {...},                      the suite as it was read, see `suite.Suite`; `limits` may change
     "versions": {"truthhypo": "0.1.0", "python": "3.11.7", ...},
     "releases": [{"source", "id", "sha256"}, ...],   live releases of the graph, and of the literature
     "literature": {"documents": n, "analyzer": s, "k1": x, "b": x} or null where no setting and no judge reads it,
     "settings": {name: value},           all settings but secrets
     "prompts": {"hypothesize": {"version": "1", "sha256": s}, ...},
     "datasets": {name: {"path", "before", "instances", "tasks": {task: {label: n}}, "cases_sha256", "gold_sha256",
                         "mode": "paper" | "sound" | null (published), "leaks": [task, ...],
                         "probed": [task, ...],        those with instances enough to look for leaks
                         "probe": [...], "rules": {...}, figures of the leak probe and single giveaways: the card's, or,
                                                       of a set without a card, measured as the run begins
                         "unprobed": "why not"}},      only where no probe could be made
     "begun": "2025-01-31T12:00:00Z"}

**records.jsonl** holds one line a (dataset, instance, model, setting, sample), appended as answers come and never
changed; a shard's lines stand in `records-1-of-4.jsonl`, and all `records*.jsonl` together are the run. Of two lines
with one key the later stands: a call that got no reply is asked again by the next run. See `Entry` for the fields.

**measures.json** is made anew by `bench rescore` from the records and the gold; see `measures`.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.entries import Entry, Key, Pages

#: Number of the folder's format; a run with another one is refused.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest(Record):
    """What a run was asked; the fields are manifest.json's (see the head of this file)."""

    suite: Mapping[str, Any]
    versions: Mapping[str, str]
    releases: tuple[Mapping[str, str], ...]
    literature: Mapping[str, Any] | None
    settings: Mapping[str, Any]
    prompts: Mapping[str, Mapping[str, str]]
    datasets: Mapping[str, Mapping[str, Any]]
    begun: str
    format: int = FORMAT

    def differs(self, other: "Manifest") -> list[str]:
        """In what two runs that should be one do not agree, a name each: suite, releases, literature, prompts, data."""
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
    """A run's folder.

    Args:
        folder: Where it is, or is to be.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pages: dict[Path, Pages] = {}

    def manifest(self) -> Manifest | None:
        """What was asked; None where nothing was begun.

        Raises:
            InputError: No manifest that can be read, or one of another format.
        """
        path = self.folder / "manifest.json"
        if not path.exists():
            return None
        try:
            shape = json.loads(path.read_text("utf-8"))
            number = shape["format"]
            if number == FORMAT:
                return Manifest(**{**shape, "releases": tuple(shape["releases"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            seen = f"{path} is no manifest of a run: {error}"
            raise InputError(seen, "a folder that bench run made", "give another folder") from None
        raise InputError(
            f"{path} has format {number!r}", f"format {FORMAT}", "use the version that made it, or run into a new --out"
        )

    def begin(self, manifest: Manifest) -> Manifest:
        """Write the manifest, or see that the one that is there asks the same.

        Returns:
            The one that stands.

        Raises:
            InputError: Another run stands there (it names what differs), or the folder cannot be written.
        """
        if (held := self.manifest()) is not None:
            self.see(held, manifest)
            return held
        if any(self.folder.glob("records*.jsonl")):
            raise InputError(f"{self.folder} has records and no manifest", "a whole run or none", "give another --out")
        text = json.dumps(manifest.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            put(self.folder / "manifest.json", text + "\n")
        except OSError as error:
            raise InputError(f"{self.folder}: {error.strerror}", "a folder to write to", "check the path") from None
        return manifest

    def see(self, held: Manifest, wanted: Manifest) -> None:
        """See that the run that is there is the one that is wanted.

        Raises:
            InputError: It is another; what differs is named.
        """
        if apart := held.differs(wanted):
            raise InputError(
                f"{self.folder} holds a run that differs in: {', '.join(apart)}",
                "the same run, to go on with",
                "give another --out, or restore what was changed",
            )

    def records(self, shard: tuple[int, int] | None = None) -> Path:
        """The file that a run, or shard k of n, appends to."""
        return self.folder / ("records-{}-of-{}.jsonl".format(*shard) if shard else "records.jsonl")

    def entries(self) -> Iterator[Entry]:
        """All records that stand, whoever wrote them, in the order of the files; a line that was cut off is no record.

        Asked again, it reads only what was appended since.

        Raises:
            InputError: A line that is no record; it names file and line.
        """
        latest: dict[Key, Entry] = {}
        for path in sorted(self.folder.glob("records*.jsonl")):
            latest |= self._pages.setdefault(path, Pages(path)).latest()
        return iter(latest.values())


def put(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    draft.write_text(text, "utf-8", newline="\n")
    draft.replace(path)


def hash_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hex."""
    return sha256(path.read_bytes()).hexdigest()


def _text(manifest: Manifest, name: str) -> str:
    return json.dumps(getattr(manifest, name), sort_keys=True)


def _asked(manifest: Manifest) -> dict[str, tuple[Any, Any]]:
    """What of each dataset, wherever it lies, is asked under which cut."""
    return {name: (held["before"], held["instances"]) for name, held in manifest.datasets.items()}
