"""Records of what was loaded into each store: one file per store under HOME/stores.

HOME is the folder for all that the program writes. These files distinguish a store that was lost from a store that
never existed, and they say what a lost store contained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.manifest import Fault
from groundwork.records import Release

_FOLDER = "stores"


@dataclass(frozen=True, slots=True)
class Holdings:
    """The content that loads put into a store.

    Attributes:
        releases: The releases of the store after the load that wrote this record.
        files: By `SOURCE:ID` of a release, the paths of the files whose content is in the store but in no snapshot (the
            Parquet copies under HOME).
    """

    releases: tuple[Release, ...] = ()
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)


def note(home: Path, address: str, holdings: Holdings) -> None:
    """Write down what a store will contain after a load. Call it before the load changes the first byte of the store.

    A store in memory ends with its process, so nothing is written for it.

    Raises:
        OSError: If HOME cannot be written.
    """
    if address == "memory:":
        return
    path = _path(home, address)
    path.parent.mkdir(parents=True, exist_ok=True)
    releases = [release.flat for release in holdings.releases]
    files = {name: list(paths) for name, paths in holdings.files.items()}
    manifest.write(path, {"address": _portable(home, address), "releases": releases, "files": files})


def holdings(home: Path, address: str) -> Holdings | None:
    """Return the record of what was loaded into a store.

    The result is None if HOME has no record of the store: nothing was loaded into the store, or an old version of the
    program loaded it. It is also None if HOME is not accessible.

    Raises:
        DamagedStore: If the file with the record is damaged.
    """
    path = _path(home, address)
    try:
        shape = manifest.read(path)
        return Holdings(tuple(map(Release.of, shape["releases"])), shape["files"])
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None  # if HOME cannot be read, its default store cannot be read either
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise manifest.damaged("HOME", [_unreadable(path, error)]) from error


def check_never_filled(home: Path, address: str, remedy: str) -> None:
    """Check that HOME records no load into a missing store, so that the store may be treated as empty.

    Raises:
        DamagedStore: If HOME records a load into the store.
    """
    known = holdings(home, address)
    if known is None:
        return
    named = ", ".join(f"{release.source}:{release.id}" for release in known.releases if release.state == "live")
    raise DamagedStore(
        f"the store {address} is missing, but according to {_path(home, address)} it contained {named or 'data'}",
        "the store's folder, with all of its files",
        f"{remedy}. To start again without the old data, remove {_path(home, address)}",
    )


def faults(home: Path) -> Iterable[Fault]:
    """Yield a fault for each file under HOME/stores that cannot be read."""
    for path in sorted((home.absolute() / _FOLDER).glob("*.json")):
        try:
            shape = manifest.read(path)
            _ = tuple(map(Release.of, shape["releases"])), shape["files"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield _unreadable(path, error)


def _unreadable(path: Path, error: Exception) -> Fault:
    remedy = f"remove {path}; the next load writes it again"
    return Fault(path, f"cannot be read: {error}", "the record of a load", remedy)


def _path(home: Path, address: str) -> Path:
    name = sha256(_portable(home, address).encode()).hexdigest()[:16]
    return home.absolute() / _FOLDER / f"{name}.json"


def _portable(home: Path, address: str) -> str:
    """Return an address that stays valid when HOME, with the stores in it, is moved."""
    return address.replace(f"{home.absolute()}/", "HOME/")
