"""The errors for a full disk and for too many open files, with the same wording everywhere.

If a command stops with one of these errors, remove the cause and run the same command again. It continues the work.
"""

from errno import EDQUOT, EFBIG, EMFILE, ENFILE, ENOSPC, EROFS
from pathlib import Path
from shutil import disk_usage

from groundwork.errors import Refused

#: Error numbers of the system for a disk that is full, over quota or read-only, and for a limit on a file's size.
FULL = frozenset({ENOSPC, EDQUOT, EROFS, EFBIG})
#: Error numbers for too many open files in a process or in the system, and the text of such errors.
MANY = frozenset({EMFILE, ENFILE})
_MANY = "Too many open files"
#: If fewer bytes than this are free, a failed write is attributed to a full disk.
_LEAST = 1 << 20


def full(what: object, why: object) -> Refused:
    """Return the error for a disk that is full or, if the message says so, for too many open files.

    Args:
        what: File or folder that could not be written.
        why: The message of the system or the driver.
    """
    if _MANY in str(why):
        return Refused(
            f"{what} cannot be written: {why}",
            "a process that may open more files",
            "raise the limit on open files, for example with ulimit -n 4096; then run the same command again",
        )
    return Refused(
        f"{what} cannot be written: {why}",
        "enough free space for the release beside the existing data",
        "make room on the disk, or choose another folder with --home; then run the same command again",
    )


def is_full(path: Path, said: str = "") -> bool:
    """Return whether a write failed because the disk is full.

    Drivers hide the system's error number and may report the failure late. Therefore the message and the free space are
    examined.

    Args:
        path: The file or folder that was written.
        said: The driver's message.
    """
    if "No space left" in said or "disk is full" in said:
        return True
    there = next((folder for folder in (path, *path.absolute().parents) if folder.exists()), None)
    return there is not None and disk_usage(there).free < _LEAST
