"""A study's folder.

sheets/annotator-1.csv ...     what people are handed, see `sheets`; nothing else is
key.json                       which hypothesis is which: stays with who runs the study
judged-MODEL.jsonl             what model judges said, see `judging`
study.json                     what came out, see `results`
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.runs import put
from truthhypo.bench.study import sheets
from truthhypo.bench.study.pairs import Found, Hypothesis, Pair, StudySource

FORMAT = 1
KEY, SHEETS = "key.json", "sheets"
Side = Literal["high", "low"]
_SIDES: tuple[Side, Side] = ("high", "low")


@dataclass(frozen=True, slots=True)
class Shown(Record):
    """A pair as it is shown.

    Attributes:
        id: Says nothing of the pair.
        first: Annotator -> which of the two is shown first.
        pair: The pair.
    """

    id: str
    first: Mapping[str, Side]
    pair: Pair


@dataclass(frozen=True, slots=True)
class Study(Record):
    """A study: key.json.

    Attributes:
        run: Folder of the run.
        asked: Whose hypotheses, and how far apart.
        instances: As in `pairs.Found`.
        grounded: Likewise.
        same_text: Likewise.
        seed: Of ids and orders.
        annotators: Names of their sheets.
        shown: The pairs.
        format: Of this file.
    """

    run: str
    asked: StudySource
    instances: int
    grounded: int
    same_text: int
    seed: int
    annotators: tuple[str, ...]
    shown: tuple[Shown, ...]
    format: int = FORMAT

    @property
    def hash(self) -> str:
        """SHA-256 of the key, in hex: what a judge's records belong to."""
        return sha256(_text(self).encode()).hexdigest()


def design(found: Found, run: Path, annotators: int, seed: int) -> Study:
    """Ids and orders: for every annotator half of the pairs have the better grounded first, drawn by the seed.

    Args:
        found: The pairs.
        run: The run's folder.
        annotators: How many people, 1 to 20.
        seed: The same seed, the same study.

    Raises:
        InputError: The number of annotators is out of range.
    """
    if not 1 <= annotators <= 20:
        raise InputError(f"--annotators {annotators}", "1 to 20", "two are usual")
    draws, n = np.random.default_rng(seed), len(found.pairs)
    # A letter in front: a spreadsheet would make a number of 1e5000, and a date of others.
    ids = [f"p{number:06x}" for number in draws.choice(16**6, size=n, replace=False)]
    names = tuple(f"annotator-{place}" for place in range(1, annotators + 1))
    # An odd pair out goes to either side.
    sides = {name: draws.permutation((np.arange(n) + draws.integers(2)) % 2).tolist() for name in names}
    shown = tuple(
        Shown(ids[place], {name: _SIDES[sides[name][place]] for name in names}, found.pairs[place])
        for place in draws.permutation(n).tolist()
    )
    return Study(str(run.resolve()), found.asked, found.instances, found.grounded, found.same_text, seed, names, shown)


def write(study: Study, folder: Path) -> None:
    """Sheets and key of a study; where the same study is there, its sheets stay as they are, filled or not.

    Raises:
        InputError: Another study is there, or the folder cannot be written.
    """
    key = folder / KEY
    if key.exists():
        if read(folder) != study:
            raise InputError(f"{folder} holds another study", "a new folder", "give another --out")
        return
    try:
        (folder / SHEETS).mkdir(parents=True, exist_ok=True)
        put(folder / SHEETS / "instructions.txt", sheets.INSTRUCTIONS)
        for number, name in enumerate(study.annotators):
            order = np.random.default_rng((study.seed, number)).permutation(len(study.shown)).tolist()
            rows = [_row(study.shown[place], name) for place in order]
            put(folder / SHEETS / f"{name}.csv", sheets.text(rows))
        put(key, _text(study))  # last: a study without a key is drawn again
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}", "a folder to write to", "give another --out") from None


def read(folder: Path) -> Study:
    """The study in a folder.

    Raises:
        InputError: There is none, or its key cannot be read.
    """
    path = folder / KEY
    try:
        shape = json.loads(path.read_text("utf-8"))
        if shape["format"] != FORMAT:
            raise ValueError(f"format {shape['format']!r}")
        shown = tuple(_shown(each) for each in shape["shown"])
        named = {"asked": StudySource(**shape["asked"]), "annotators": tuple(shape["annotators"]), "shown": shown}
        return Study(**{**shape, **named})
    except FileNotFoundError:
        raise InputError(f"{folder} holds no study", f"a {KEY}", "make one with: bench study pairs RUN") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} cannot be read: {error}", "a study's key", "restore the file") from None


def _shown(shape: dict[str, Any]) -> Shown:
    pair = shape["pair"]
    sides = {side: Hypothesis(**pair[side]) for side in _SIDES}
    return Shown(shape["id"], shape["first"], Pair(**{**pair, **sides}))


def _row(one: Shown, annotator: str) -> sheets.Row:
    pair = one.pair
    first, second = (pair.high, pair.low) if one.first[annotator] == "high" else (pair.low, pair.high)
    return sheets.Row(one.id, pair.question, first.text, second.text)


def _text(study: Study) -> str:
    return json.dumps(study.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
