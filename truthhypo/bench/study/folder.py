"""Design a study, and read and write its folder.

sheets/annotator-1.csv ...     for the annotators, who get only the folder sheets/; see module `sheets`
key.json                       tells which hypothesis of a pair is better grounded; only the organiser keeps it
study.json                     the results, see module `study_results`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.study import sheets
from truthhypo.bench.study.hypothesis_pairs import FoundPairs, Pair, StudySource
from truthhypo.json_file import read_json, write_json, write_text

KEY, SHEETS = "key.json", "sheets"
Side = Literal["high", "low"]
_SIDES: tuple[Side, Side] = ("high", "low")


@dataclass(frozen=True, slots=True)
class ShownPair(Record):
    """A pair of hypotheses with the order in which each annotator sees it.

    Attributes:
        id: A random id.
        first: For each annotator, the hypothesis that is shown first: `high` or `low`, as in `pair`.
        pair: The two hypotheses.
    """

    id: str
    first: Mapping[str, Side]
    pair: Pair


@dataclass(frozen=True, slots=True)
class Study(Record):
    """A study, with the fields of key.json.

    Attributes:
        run: Folder of the run.
        asked: The source of the hypotheses, and the minimum difference in groundedness within a pair.
        instances: See `hypothesis_pairs.FoundPairs`.
        grounded: See `hypothesis_pairs.FoundPairs`.
        same_text: See `hypothesis_pairs.FoundPairs`.
        seed: Random seed of ids and orders.
        annotators: Names of the annotators, which are also the names of their sheets.
        shown: The pairs.
        format: Version of the format of key.json.
    """

    run: str
    asked: StudySource
    instances: int
    grounded: int
    same_text: int
    seed: int
    annotators: tuple[str, ...]
    shown: tuple[ShownPair, ...]
    format: Literal[1] = 1


def design(found: FoundPairs, run: Path, annotators: int, seed: int) -> Study:
    """Design a study with random ids and orders.

    Each annotator sees the better grounded hypothesis first in half of the pairs.

    Args:
        found: The pairs that `hypothesis_pairs.find` returned.
        run: Folder of the run.
        annotators: Number of people, 1 to 20.
        seed: Random seed. The same seed gives the same study.

    Raises:
        InputError: The number of annotators is out of range.
    """
    if not 1 <= annotators <= 20:
        raise InputError(f"--annotators {annotators}", "1 to 20", "for instance 2")
    draws, n = np.random.default_rng(seed), len(found.pairs)
    # Ids begin with a letter, because a spreadsheet would turn an id such as 1e5000 into a number or a date.
    ids = [f"p{number:06x}" for number in draws.choice(16**6, size=n, replace=False)]
    names = tuple(f"annotator-{place}" for place in range(1, annotators + 1))
    # With an odd number of pairs, it is random which hypothesis is shown first once more than the other.
    sides = {name: draws.permutation((np.arange(n) + draws.integers(2)) % 2).tolist() for name in names}
    shown = tuple(
        ShownPair(ids[place], {name: _SIDES[sides[name][place]] for name in names}, found.pairs[place])
        for place in draws.permutation(n).tolist()
    )
    return Study(str(run.resolve()), found.asked, found.instances, found.grounded, found.same_text, seed, names, shown)


def write(study: Study, folder: Path) -> None:
    """Write the sheets and the key of a study. If the folder already has the same study, nothing is changed.

    Raises:
        InputError: The folder contains another study, or cannot be written.
    """
    key = folder / KEY
    if key.exists():
        if read(folder) != study:
            raise InputError(f"{folder} contains another study", "a new folder", "give another --out")
        return
    write_text(folder / SHEETS / "instructions.txt", sheets.INSTRUCTIONS)
    for number, name in enumerate(study.annotators):
        order = np.random.default_rng((study.seed, number)).permutation(len(study.shown)).tolist()
        rows = [_row(study.shown[place], name) for place in order]
        write_text(folder / SHEETS / f"{name}.csv", sheets.text(rows))
    write_json(key, study.to_dict())  # last, because a study without a key is designed again


def read(folder: Path) -> Study:
    """Return the study in a folder.

    Raises:
        InputError: The folder has no study, or the file `key.json` of the study cannot be read.
    """
    path = folder / KEY
    if not path.exists():
        raise InputError(f"{folder} contains no study", f"a {KEY}", "make one with: bench study pairs RUN")
    return read_json(path, Study, "a study's key", "restore the file")


def _row(one: ShownPair, annotator: str) -> sheets.Row:
    pair = one.pair
    first, second = (pair.high, pair.low) if one.first[annotator] == "high" else (pair.low, pair.high)
    return sheets.Row(one.id, pair.question, first.text, second.text)
