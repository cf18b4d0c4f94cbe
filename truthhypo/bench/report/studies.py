"""Read the open-ended studies that a report shows beside Table 4 of paper A."""

from dataclasses import dataclass, replace
from pathlib import Path

from groundwork.records import Record
from truthhypo.bench.report.places import told
from truthhypo.bench.study.study_results import FILE, Results
from truthhypo.json_file import read_json


@dataclass(frozen=True, slots=True)
class StudySection(Record):
    """A scored folder of `bench study`.

    Attributes:
        name: Name of the study in the report, which is derived from the folder's name.
        folder: Path of the folder. An absolute path is shortened: `/data/one` becomes `.../one`.
        found: The results. Paths in `found.study` are shortened in the same way.
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
    remedy = f"run: truthhypo bench study score {folder}"
    found = read_json(folder / FILE, Results, "a scored study", remedy)
    return StudySection(name, told(str(folder)), replace(found, study=told(found.study)))
