"""The error for a full disk, with the same wording everywhere. The same command continues once there is space again."""

from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path
from shutil import disk_usage

from groundwork.errors import Refused

#: Error numbers of the system for a disk that is full, over quota or read-only, and for a limit on a file's size.
FULL = frozenset({ENOSPC, EDQUOT, EROFS, EFBIG})
#: If fewer bytes than this are free, a failed write is attributed to a full disk.
_LEAST = 1 << 20


def full(what: object, why: object) -> Refused:
    """Return the error for a disk that is full.

    Args:
        what: File or folder that could not be written.
        why: The message of the system or the driver.
    """
    return Refused(
        f"{what} cannot be written: {why}",
        "enough free space for the release beside the existing data",
        "make room on the disk, or choose another folder with --home; then run the same command again",
    )


def is_full(path: Path, said: str = "") -> bool:
    """Return whether a write failed because the disk is full.

    Drivers hide the system's error number and may fail late, so the message and the free space are examined.

    Args:
        path: The file or folder that was written.
        said: The driver's message.
    """
    if "No space left" in said or "disk is full" in said:
        return True
    there = next((folder for folder in (path, *path.absolute().parents) if folder.exists()), None)
    return there is not None and disk_usage(there).free < _LEAST
