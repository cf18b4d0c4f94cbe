"""Read labelled pairs of claim and evidence from a user's file or folder.

The pairs may be those of HealthVer, Citation-Integrity or BioRED, or stand in any CSV or JSON Lines file.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from knowhd.judge import Verdict
from truthhypo.bench.judge_calibration.confusion import LABELS
from truthhypo.bench.judge_calibration.labelled import Pair, biored, citation_integrity, pair_of
from truthhypo.bench.labelled_rows import rows

#: Meaning of the labels of known datasets. Labels are in lower case, with spaces instead of underscores.
MEANINGS: dict[str, Verdict] = {
    **dict.fromkeys(("supported", "supports", "support", "entailment", "entails", "true", "yes"), "supported"),
    **dict.fromkeys(("contradicted", "contradicts", "contradict", "contradiction"), "contradicted"),
    **dict.fromkeys(("refuted", "refutes", "refute", "false", "no"), "contradicted"),
    **dict.fromkeys(("not enough", "not enough info", "not enough information", "nei", "neutral"), "not_enough"),
    **dict.fromkeys(("unproven", "maybe", "unverified"), "not_enough"),
}


#: Columns of the claim, the evidence and the label. Pairs with the same text in the column `question` belong to one
#: group (see `Pair`). If a row has no question, its claim is used instead.
_COLUMNS = ("claim", "evidence", "label")


def load(path: Path) -> list[Pair]:
    """Return the pairs of a file or folder. The format is recognised by the name.

    A `claims*.jsonl` with `corpus.jsonl` beside it, or a folder with both, is Citation-Integrity. A `.PubTator` file is
    BioRED. A folder with one .csv stands for that file. Other .csv and .jsonl files are tables with the columns of
    HealthVer: claim, evidence, label, and optionally question.

    Raises:
        InputError: The folder has no file or several files of pairs; the file cannot be read or contains no pair; a
            column is missing; a label is unknown; or a claim or its evidence is empty.
    """
    file = _chosen(path)
    corpus = file.with_name("corpus.jsonl")
    try:
        if file.suffix == ".jsonl" and corpus.is_file() and file.name.startswith("claims"):
            pairs = list(citation_integrity(file, corpus))
        elif file.suffix.lower() == ".pubtator":
            pairs = list(biored(file))
        else:
            pairs = [_pair(row, f"{file}, row {number}") for number, row in enumerate(_table(file), start=1)]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, IndexError) as error:
        wanted = "a labelled set: HealthVer, Citation-Integrity, BioRED, a .csv or a .jsonl"
        raise InputError(f"{file} cannot be read: {error}", wanted, "check the file") from error
    if not pairs:
        raise InputError(f"{file} contains no pair", "at least one claim with evidence and label", "check the file")
    return pairs


def _chosen(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob("claims*.jsonl")) or sorted(path.glob("*.csv"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "none"
        raise InputError(f"the sets of {path}: {names}", "one set", "name the file of the set")
    return found[0]


def _table(file: Path) -> Iterator[Any]:
    if file.suffix.lower() not in {".csv", ".jsonl"}:
        raise InputError(
            f"{file} ends in {file.suffix!r}",
            "a .csv, .jsonl or .PubTator file, or a folder with one",
            "name another file",
        )
    return rows(file)


def _pair(row: Any, place: str) -> Pair:
    given = {}
    for name in _COLUMNS:
        if not isinstance(row, dict) or name not in row:
            has = ", ".join(map(str, row)) if isinstance(row, dict) else type(row).__name__
            raise InputError(f"{place} has {has}", f"a column {name!r}", "rename the column")
        value = row[name]
        given[name] = " ".join(value) if isinstance(value, list) else str(value if value is not None else "")
        if not given[name].strip():
            raise InputError(f"{place}: {name!r} is empty", "text", "remove the row")
    verdict = MEANINGS.get(" ".join(given["label"].lower().replace("_", " ").split()))
    if verdict is None:
        seen, wanted = f"{place}: the label {given['label']!r}", f"a label that means one of {', '.join(LABELS)}"
        raise InputError(seen, wanted, "replace the label by one of these")
    return pair_of(given["claim"], given["evidence"], verdict, str(row.get("question") or given["claim"]))
