"""Read the runs for a report from their folders, together with the gold labels that were used for scoring."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.files import loads
from truthhypo.bench import measures
from truthhypo.bench.outcomes import ScorableRun, gather
from truthhypo.bench.runs import Manifest, Run
from truthhypo.hypotheses.dataset import Instance, read


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run in a report.

    Attributes:
        name: Name of the run in the report: the name of its folder, with the parent if two folders share the name.
        folder: Folder of the run.
        gathered: Manifest, records and outcomes of the run.
        measures: Content of measures.json.
        gold: For each dataset, by its name in the report, the instances by id.
        titles: Name of each dataset in the report, by its name in the suite. If two runs have different datasets with
            the same name, the start of the hash of the gold labels is added.
    """

    name: str
    folder: Path
    gathered: ScorableRun
    measures: Mapping[str, Any]
    gold: Mapping[str, Mapping[str, Instance]]
    titles: Mapping[str, str]

    @property
    def manifest(self) -> Manifest:
        """The manifest of the run."""
        return self.gathered.manifest


def load(folders: Mapping[str, Path], paths: Mapping[str, str] | None = None) -> tuple[ReportedRun, ...]:
    """Read runs from their folders, in the given order.

    Args:
        folders: Folders of the runs, by the name of the run in the report; see `names`.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Raises:
        InputError: A folder has no run, its measures do not cover all records, or the gold labels were changed.
    """
    held = [(folder, _measures(folder), gather(Run(folder), paths)) for folder in folders.values()]
    titles = _titles([gathered.manifest for _, _, gathered in held])
    found = []
    for name, (folder, scored, gathered) in zip(folders, held, strict=True):
        _refuse_stale(folder, scored, gathered)
        sets = gathered.manifest.datasets
        mine = {each: titles[each, of["gold_sha256"]] for each, of in sets.items()}
        gold = {mine[each]: _instances(Path((paths or {}).get(each, of["path"]))) for each, of in sets.items()}
        found.append(ReportedRun(name, folder, gathered, scored, gold, mine))
    return tuple(found)


def names(folders: Sequence[Path]) -> dict[str, Path]:
    """Return folders by a unique name: the name of the folder, the name with its parent, or the whole path.

    Raises:
        InputError: No folder is given, or a folder is given twice.
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
        raise InputError(f"{folder} contains no run", "a folder of bench run or grid", "give another folder")
    try:
        shape: dict[str, Any] = loads(path.read_text("utf-8"))
        number = shape["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        seen = f"{path} cannot be read as measures: {error}"
        raise InputError(seen, "a scored run", f"run: truthhypo bench rescore {folder}") from None
    if number != measures.FORMAT:
        seen = f"{path} has format {number!r}"
        raise InputError(seen, f"format {measures.FORMAT}", f"run: truthhypo bench rescore {folder}")
    return shape


def _refuse_stale(folder: Path, scored: Mapping[str, Any], gathered: ScorableRun) -> None:
    measured, there = sum(one["records"] for one in scored["spent"]), len(gathered.entries)
    if measured != there:
        seen = f"{folder} has {there} records, but measures of {measured}"
        raise InputError(seen, "measures of all records", f"run: truthhypo bench rescore {folder}")


def _instances(place: Path) -> dict[str, Instance]:
    """Return the instances of a dataset by id. `gather` has already checked the hash of the dataset."""
    instances = read(place / "instances.tsv" if place.is_dir() else place)
    return {one.id: one for one in instances}


def _titles(manifests: Sequence[Manifest]) -> dict[tuple[str, str], str]:
    """Return the name of each dataset in the report, by (name in the suite, hash of the gold labels)."""
    hashes: dict[str, set[str]] = {}
    for manifest in manifests:
        for name, held in manifest.datasets.items():
            hashes.setdefault(name, set()).add(held["gold_sha256"])
    return {
        (name, each): name if len(different) == 1 else f"{name} ({each[:8]})"
        for name, different in hashes.items()
        for each in different
    }
