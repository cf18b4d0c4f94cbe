"""What a report is made of: runs read from their folders, whole, with the gold they were scored by."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from truthhypo.bench import measures
from truthhypo.bench.outcomes import ScorableRun, gather
from truthhypo.bench.runs import Manifest, Run
from truthhypo.hypotheses.dataset import Instance, read


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run, read.

    Attributes:
        name: What the report calls it: its folder's name, with the parent's where two are called alike.
        folder: Where it lies.
        gathered: Manifest, records and outcomes.
        measures: measures.json.
        gold: By the report's name of the dataset: instances by id.
        titles: The suite's name of a dataset -> the report's: with the start of the gold's hash where two runs have
            different sets under one name.
    """

    name: str
    folder: Path
    gathered: ScorableRun
    measures: Mapping[str, Any]
    gold: Mapping[str, Mapping[str, Instance]]
    titles: Mapping[str, str]

    @property
    def manifest(self) -> Manifest:
        """What was asked."""
        return self.gathered.manifest


def load(folders: Mapping[str, Path], paths: Mapping[str, str] | None = None) -> tuple[ReportedRun, ...]:
    """Runs from their folders, in the order given.

    Args:
        folders: By the report's name of the run, see `names`.
        paths: Where a dataset lies now, by name, if it was moved.

    Raises:
        InputError: No run in a folder or no measures of all its records, or a gold that is not the one of the run.
    """
    held = [(folder, _measures(folder), gather(Run(folder), paths)) for folder in folders.values()]
    titles = _titles([gathered.manifest for _, _, gathered in held])
    found = []
    for name, (folder, scored, gathered) in zip(folders, held, strict=True):
        _refuse_stale(folder, scored, gathered)
        sets = gathered.manifest.datasets
        mine = {each: titles[each, of["gold_sha256"]] for each, of in sets.items()}
        gold = {mine[each]: instances_of(Path((paths or {}).get(each, of["path"]))) for each, of in sets.items()}
        found.append(ReportedRun(name, folder, gathered, scored, gold, mine))
    return tuple(found)


def names(folders: Sequence[Path]) -> dict[str, Path]:
    """What the report calls each folder: its name, with its parent's where two are called alike, else its whole path.

    Raises:
        InputError: No folder, or one twice.
    """
    whole = [folder.resolve() for folder in folders]
    if not folders or len(set(whole)) < len(whole):
        seen = f"{len(folders)} folders: {', '.join(map(str, folders)) or 'none'}"
        raise InputError(seen, "one or more different folders", "name each once")
    options = [(path.name, f"{path.parent.name}/{path.name}", str(path)) for path in whole]
    taken = Counter(name for each in options for name in set(each))
    return {
        next(name for name in each if taken[name] == 1): folder for each, folder in zip(options, folders, strict=True)
    }


def _measures(folder: Path) -> Mapping[str, Any]:
    path = folder / "measures.json"
    if not path.exists() and Run(folder).manifest() is None:
        raise InputError(f"{folder} holds no run", "a folder of bench run, grid or study", "give another folder")
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


def _refuse_stale(folder: Path, scored: Mapping[str, Any], gathered: ScorableRun) -> None:
    measured, there = sum(one["records"] for one in scored["spent"]), len(gathered.entries)
    if measured != there:
        seen = f"{folder} has {there} records, and measures of {measured}"
        raise InputError(seen, "measures of all records", f"truthhypo bench rescore {folder}")


def instances_of(place: Path) -> dict[str, Instance]:
    """The instances of a set whose hash was looked at already (`gather`), by id."""
    instances = read(place / "instances.tsv" if place.is_dir() else place)
    return {f"{one.x_id}~{one.y_id}": one for one in instances}


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
