"""Read the open-ended studies for a report, which shows them beside Table 4 of paper A."""

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
    """A scored folder of `bench study`.

    Attributes:
        name: Name of the study in the report, which is derived from the folder's name.
        folder: Path of the folder. An absolute path is shortened to its last name.
        found: The results, with shortened paths.
    """

    name: str
    folder: str
    found: Results


def studied(name: str, folder: Path) -> StudySection:
    """Read a folder of `bench study`.

    Args:
        name: Name of the study in the report.
        folder: Path of the folder.

    Raises:
        InputError: The study has no scores, or its study.json was not written by `bench study score`.
    """
    path = folder / FILE
    try:
        shape = json.loads(path.read_text("utf-8"))
        if shape["format"] != FORMAT:
            raise ValueError(f"format {shape['format']!r}")
        return StudySection(name, told(str(folder)), _results(shape))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        seen = f"{path} cannot be read as a study: {type(error).__name__}: {error}"
        raise InputError(seen, "a scored study", f"run: truthhypo bench study score {folder}") from None


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
