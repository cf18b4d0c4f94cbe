"""A disk without room, told in one wording wherever it is met. The same command goes on when there is room again."""

from errno import EDQUOT, ENOSPC, EROFS
from pathlib import Path
from shutil import disk_usage

from groundwork.errors import Refused

#: What the system says then.
FULL = frozenset({ENOSPC, EDQUOT, EROFS})
#: With less than this left, a failure to write is taken for one of room, bytes.
_LEAST = 1 << 20


def full(what: object, why: object) -> Refused:
    """The error.

    Args:
        what: File or folder that could not be written.
        why: What the system or the driver said.
    """
    return Refused(
        f"{what} cannot be written: {why}",
        "room for the release beside what is there",
        "make room on the disk, or choose another folder with --home; then run the same command again",
    )


def is_full(path: Path, said: str = "") -> bool:
    """Whether there is no room, or a driver failed for lack of it: drivers hide the system's number, and may fail late.

    Args:
        path: The file or folder it was at.
        said: Its message.
    """
    if "No space left" in said or "disk is full" in said:
        return True
    there = next((folder for folder in (path, *path.absolute().parents) if folder.exists()), None)
    return there is not None and disk_usage(there).free < _LEAST
