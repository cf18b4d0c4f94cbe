"""A folder under HOME for the files of one run. The folder is removed when the run ends, also after an error.

The run holds a lock on its folder. The operating system releases the lock when the process ends, even if the process is
killed. Each run first removes the folders that killed runs left behind.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock, Timeout

from groundwork.errors import InputError
from groundwork.files import FULL, MANY, full, is_full


@contextmanager
def workspace(home: Path) -> Iterator[Path]:
    """Yield an empty folder under HOME/work, on the same file system as the snapshots.

    Raises:
        InputError: If HOME cannot be written.
        Refused: If the disk of HOME is full, or too many files are open.
    """
    root = home.absolute() / "work"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "sweep.lock"):
            _sweep(root)
            folder = Path(mkdtemp(prefix="run-", dir=root))
            lock = FileLock(folder / "lock")
            lock.acquire()
    except OSError as error:
        raise InputError(
            f"{root} cannot be written: {error.strerror or error}",
            "a folder for the program's own files",
            "choose another folder with --home or TRUTHHYPO_HOME",
        ) from error
    try:
        yield folder
    except OSError as error:
        if error.errno not in FULL | MANY:
            raise
        raise full(root, error.strerror) from error
    except sqlite3.OperationalError as error:
        if not is_full(root, str(error)):
            raise
        raise full(home, error) from error
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(root: Path) -> None:
    """Remove the folders of runs that have ended."""
    for folder in root.glob("run-*"):
        lock = FileLock(folder / "lock")
        try:
            with lock.acquire(timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
        except (Timeout, OSError):
            continue  # the run is still active
