"""Open-ended studies in a report, beside the paper's Table 4."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.statistics.significance import SignificanceTest
from truthhypo.bench.report.places import told
from truthhypo.bench.study.results import FILE, FORMAT, Agreement, AnnotatorResult, Results


@dataclass(frozen=True, slots=True)
class StudySection(Record):
    """A folder of `bench study`, scored.

    Attributes:
        name: What the report calls it: its folder's name.
        folder: Where it lies.
        found: What came out, without places of the machine.
    """

    name: str
    folder: str
    found: Results


def studied(name: str, folder: Path) -> StudySection:
    """A folder of `bench study`.

    Args:
        name: What the report calls it.
        folder: Where it lies.

    Raises:
        InputError: It is not scored, or its study.json is not what `bench study score` writes.
    """
    path = folder / FILE
    try:
        shape = json.loads(path.read_text("utf-8"))
        if shape["format"] != FORMAT:
            raise ValueError(f"format {shape['format']!r}")
        return StudySection(name, told(str(folder)), _results(shape))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        seen = f"{path} cannot be read as a study: {type(error).__name__}: {error}"
        raise InputError(seen, "a scored study", f"truthhypo bench study score {folder}") from None


def _results(shape: dict[str, Any]) -> Results:
    return Results(
        **{
            **shape,
            "study": told(shape["study"]),
            "circular": SignificanceTest(**shape["circular"]),
            "annotators": tuple(
                AnnotatorResult(**{**each, "paper": _tested(each["paper"]), "sound": _tested(each["sound"])})
                for each in shape["annotators"]
            ),
            "agreement": tuple(Agreement(**each) for each in shape["agreement"]),
        }
    )


def _tested(shape: dict[str, Any] | None) -> SignificanceTest | None:
    return None if shape is None else SignificanceTest(**shape)
