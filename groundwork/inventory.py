"""Which stores a HOME has filled, and with what: a file for each store under HOME/stores.

It tells a store that was lost from one that was never there, and says what a lost store held.
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
    """What a store was filled with.

    Attributes:
        releases: Its releases as they are once the load that wrote this is done.
        files: Files whose content is in the store and in no snapshot, by `SOURCE:ID` of the release.
    """

    releases: tuple[Release, ...] = ()
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)


def note(home: Path, address: str, holdings: Holdings) -> None:
    """Write down what a store holds once the load is done; called before the first byte of it changes.

    A store in memory ends with its process, and is not written down.

    Raises:
        OSError: HOME cannot be written.
    """
    if address == "memory:":
        return
    path = _path(home, address)
    path.parent.mkdir(parents=True, exist_ok=True)
    releases = [release.flat for release in holdings.releases]
    files = {name: list(paths) for name, paths in holdings.files.items()}
    manifest.write(path, {"address": _portable(home, address), "releases": releases, "files": files})


def holdings(home: Path, address: str) -> Holdings | None:
    """What a store was filled with from this HOME; None if it never was, or by an earlier version only.

    Raises:
        DamagedStore: The file that says so cannot be read.
    """
    path = _path(home, address)
    try:
        shape = manifest.read(path)
        return Holdings(tuple(map(Release.of, shape["releases"])), shape["files"])
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None  # a HOME that we may not read has no default store that we may read either
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise manifest.damaged("HOME", [_unreadable(path, error)]) from error


def check_never_filled(home: Path, address: str, remedy: str) -> None:
    """Refuse to take a store that is not there for an empty one if this HOME has filled it.

    Raises:
        DamagedStore: It has.
    """
    known = holdings(home, address)
    if known is None:
        return
    named = ", ".join(f"{release.source}:{release.id}" for release in known.releases if release.state == "live")
    raise DamagedStore(
        f"the store {address} is gone: {_path(home, address)} says that it was filled with {named or 'data'}",
        "its folder, with all of its files",
        f"{remedy}. To begin anew without it, remove that file",
    )


def faults(home: Path) -> Iterable[Fault]:
    """The files under HOME/stores that cannot be read."""
    for path in sorted((home.absolute() / _FOLDER).glob("*.json")):
        try:
            shape = manifest.read(path)
            _ = tuple(map(Release.of, shape["releases"])), shape["files"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield _unreadable(path, error)


def _unreadable(path: Path, error: Exception) -> Fault:
    return Fault(path, f"cannot be read: {error}", "what a load wrote", f"remove {path}; the next load writes it anew")


def _path(home: Path, address: str) -> Path:
    name = sha256(_portable(home, address).encode()).hexdigest()[:16]
    return home.absolute() / _FOLDER / f"{name}.json"


def _portable(home: Path, address: str) -> str:
    """An address that stays the same when HOME, with the stores in it, is moved."""
    return address.replace(f"{home.absolute()}/", "HOME/")
