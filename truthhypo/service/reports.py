"""The benchmark reports under HOME/reports, where `bench report` writes them by default."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.json_text import loads
from groundwork.records import Record
from groundwork.settings import Settings

#: Valid names of reports. A name cannot be a path.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,99}")
ENDINGS = ("html", "json", "csv")


class UnknownReport(InputError):
    """HOME holds no report with this name.

    Args:
        name: The name.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no benchmark report is named {name!r}",
            "a report under HOME/reports",
            "choose one of the list, or make it: truthhypo bench report DIR",
        )


@dataclass(frozen=True, slots=True)
class ReportEntry(Record):
    """A benchmark report in the list of reports.

    Attributes:
        name: Name of the report and of its files, without the ending.
        made: Time when it was made, in ISO 8601.
        runs: The names of its runs, grids and studies.
        figures: Number of figures.
        warnings: Number of warnings.
    """

    name: str
    made: str
    runs: tuple[str, ...]
    figures: int
    warnings: int


def folder_of(settings: Settings) -> Path:
    """Return the folder of the reports. The folder may be missing."""
    return settings.home / "reports"


def reports(settings: Settings) -> tuple[ReportEntry, ...]:
    """Return the reports, newest first. Files that are no reports are left out."""
    files = folder_of(settings).glob("*.html")
    found = [entry for path in files if _NAME.fullmatch(path.stem) and (entry := _entry(path))]
    return tuple(sorted(found, key=lambda each: (each.made, each.name), reverse=True))


def report_file(settings: Settings, name: str, ending: str) -> Path:
    """Return a file of a report.

    Args:
        settings: Settings with HOME.
        name: The name of the report.
        ending: One of ENDINGS.

    Raises:
        UnknownReport: There is no such file.
    """
    path = folder_of(settings) / f"{name}.{ending}"
    if not _NAME.fullmatch(name) or ending not in ENDINGS or not path.is_file():
        raise UnknownReport(name)
    return path


def _entry(path: Path) -> ReportEntry | None:
    """Return the entry of a report, given its .html file; None if the .json file beside it is not that of a report."""
    try:
        said: Mapping[str, Any] = loads(path.with_suffix(".json").read_text("utf-8"))
        names = tuple(each["name"] for kind in ("runs", "grids", "studies") for each in said[kind])
        return ReportEntry(path.stem, said["made"], names, len(said["figures"]), len(said["warnings"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
