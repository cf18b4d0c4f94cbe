"""Check the files under HOME that commands and the service keep outside the stores. Each file is read to its end."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from fuzzygraph import vectors
from groundwork import manifest, sqlite_file
from groundwork.errors import TruthHypoError
from groundwork.manifest import Fault, content, read
from groundwork.settings import Settings
from ingest.pubmed import ledger
from knowhd import marks
from knowhd.calibration import FILE, calibration_of
from truthhypo.bench import risk_fit
from truthhypo.faces.jobs import job_results
from truthhypo.faces.jobs.store import JobStore
from truthhypo.faces.rest.tokens import Tokens
from truthhypo.record_file import RecordFile
from truthhypo.service import year_cuts
from truthhypo.service.kept_results import ResultStore
from truthhypo.service.marks import MarkList
from truthhypo.service.watchlist import WatchList

#: The lock files under HOME.
_LOCKS = (
    *("graph/lock", "graph/drawn/lock", "drawn/*/lock", "atlas/*/lock", "literature/lock"),
    *("pending/*.lock", "loads/*/lock", "vectors/*/lock", "watch/lock", "work/sweep.lock", "work/*/lock"),
    *("jobs/*.jsonl.lock", "cache/runs/*.jsonl.lock", "marks.lock"),
)
#: The content of a lock file: nothing, or the number of a process. On a file system without locks, the name of the
#: machine and the start time of the process follow.
_HOLDER = re.compile(rb"(\d+(\n[!-~]+)*\n?)?")


def home_faults(settings: Settings) -> Iterator[Fault]:
    """Yield the damaged files under HOME that are outside the stores, the snapshots and the records of loads."""
    home = settings.home
    yield from WatchList(settings).faults()
    yield from job_results.faults(JobStore(settings))
    yield from ResultStore(settings).faults()
    for cache in sorted(home.glob("cache/*.sqlite")):
        yield from sqlite_file.faults(cache, f"remove {cache}; it only saves time")
    for records in sorted(home.glob("cache/runs/*.jsonl")):
        yield from RecordFile(records).faults(f"remove {records}; the same call then judges its texts again")
    yield from manifest.seal_faults(home / "rejects", "the same ingest command with --dry-run writes it again")
    yield from manifest.seal_faults(home / "reports", "truthhypo bench report DIR makes it again")
    yield from ledger.faults(home)
    yield from vectors.faults(home)
    yield from _lock_faults(home)
    yield from _unreadable(home / year_cuts.FILE, lambda: read(home / year_cuts.FILE))
    yield from _unreadable(home / "tokens", lambda: Tokens.read(home / "tokens"))
    yield from _mark_faults(home)
    yield from _unreadable(home / FILE, lambda: calibration_of("", home))
    yield from _unreadable(home / risk_fit.FILE, lambda: risk_fit.kept(home))


def _lock_faults(home: Path) -> Iterator[Fault]:
    """Yield the lock files with content that this program does not write."""
    wanted, remedy = "an empty file or the number of a process", f"end all processes that use {home}, then remove "
    for path in sorted(path for pattern in _LOCKS for path in home.glob(pattern)):
        try:
            if not _HOLDER.fullmatch(content(path)):
                yield Fault(path, "has content that this program does not write", wanted, f"{remedy}{path}")
        except FileNotFoundError:
            continue  # the process that held this lock has ended
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", wanted, f"{remedy}{path}")


def _mark_faults(home: Path) -> Iterator[Fault]:
    """Yield a fault if the marks are damaged, or missing in their folder."""
    try:
        MarkList(home).all()
    except TruthHypoError as error:
        yield Fault(home / marks.FILE, error.seen.removeprefix(f"{home / marks.FILE} "), error.wanted, error.remedy)


def _unreadable(path: Path, read: Callable[[], object]) -> Iterator[Fault]:
    """Yield a fault if a file exists, but its reader refuses it."""
    if path.exists():
        try:
            content(path)
            read()
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", "a file of this program", f"move {path} away")
        except ValueError as error:
            yield Fault(path, f"cannot be read: {error}", "a file of this program", f"move {path} away")
        except TruthHypoError as error:
            seen = error.seen.removeprefix(f"{path} ")
            yield Fault(path, seen, error.wanted, error.remedy)
