"""What a report is made of: runs read from their folders, whole, with the gold they were scored by."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench import measures
from truthhypo.bench.entries import Entry
from truthhypo.bench.runs import Manifest, Run, hash_of
from truthhypo.hypotheses.dataset import Instance, read


@dataclass(frozen=True, slots=True)
class Reported(Record):
    """A run, read.

    Attributes:
        name: What the report calls it: its folder's name, with the parent's where two are called alike.
        folder: Where it lies.
        manifest: What was asked.
        measures: measures.json.
        entries: Its records.
        gold: By the report's name of the dataset: instances by id.
        titles: The suite's name of a dataset -> the report's: with the start of the gold's hash where two runs have
            different sets under one name.
    """

    name: str
    folder: Path
    manifest: Manifest
    measures: Mapping[str, Any]
    entries: tuple[Entry, ...]
    gold: Mapping[str, Mapping[str, Instance]]
    titles: Mapping[str, str]


def load(folders: Sequence[Path]) -> tuple[Reported, ...]:
    """Runs from their folders, in the order given.

    Raises:
        InputError: No folder, one twice, no run or no measures in it, or a gold that is not the one of the run.
    """
    if not folders or len({folder.resolve() for folder in folders}) < len(folders):
        seen = f"{len(folders)} folders: {', '.join(map(str, folders)) or 'none'}"
        raise InputError(seen, "one or more different folders of runs", "name each once")
    held = [(folder, _manifest(folder)) for folder in folders]
    titles = _titles([manifest for _, manifest in held])
    names = _names(folders)
    return tuple(
        _reported(name, folder, manifest, titles) for name, (folder, manifest) in zip(names, held, strict=True)
    )


def _reported(name: str, folder: Path, manifest: Manifest, titles: Mapping[tuple[str, str], str]) -> Reported:
    mine = {each: titles[each, held["gold_sha256"]] for each, held in manifest.datasets.items()}
    return Reported(
        name=name,
        folder=folder,
        manifest=manifest,
        measures=_measures(folder),
        entries=tuple(Run(folder).entries()),
        gold={mine[each]: _gold(folder, each, held) for each, held in manifest.datasets.items()},
        titles=mine,
    )


def _manifest(folder: Path) -> Manifest:
    found = Run(folder).manifest()
    if found is None:
        raise InputError(f"{folder} holds no manifest.json", "a folder that bench run made", "give another folder")
    return found


def _measures(folder: Path) -> Mapping[str, Any]:
    path = folder / "measures.json"
    try:
        shape: dict[str, Any] = json.loads(path.read_text("utf-8"))
        number = shape["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        seen = f"{path} cannot be read as measures: {error}"
        raise InputError(seen, "a scored run", f"truthhypo bench rescore {folder}") from None
    if number != measures.FORMAT:
        seen = f"{path} has format {number!r}"
        raise InputError(seen, f"format {measures.FORMAT}", f"truthhypo bench rescore {folder}")
    return shape


def _gold(folder: Path, name: str, held: Mapping[str, Any]) -> dict[str, Instance]:
    path = Path(held["path"])
    if not path.is_absolute():
        path = folder / path
    if path.is_dir():
        path = path / "instances.tsv"
    if not path.is_file() or hash_of(path) != held["gold_sha256"]:
        state = "is not the file that the run was begun with" if path.is_file() else "is not there"
        seen = f"{path}, the gold of {name} in {folder}, {state}"
        raise InputError(seen, f"SHA-256 {held['gold_sha256']}", "restore it, or run anew")
    return {f"{one.x_id}~{one.y_id}": one for one in read(path)}


def _titles(manifests: Sequence[Manifest]) -> dict[tuple[str, str], str]:
    """(name, gold's hash) -> what the report calls it."""
    hashes: dict[str, set[str]] = {}
    for manifest in manifests:
        for name, held in manifest.datasets.items():
            hashes.setdefault(name, set()).add(held["gold_sha256"])
    return {
        (name, each): name if len(different) == 1 else f"{name} ({each[:8]})"
        for name, different in hashes.items()
        for each in different
    }


def _names(folders: Sequence[Path]) -> list[str]:
    whole = [folder.resolve() for folder in folders]
    short = [path.name for path in whole]
    return [
        name if short.count(name) == 1 else f"{path.parent.name}/{name}"
        for path, name in zip(whole, short, strict=True)
    ]
