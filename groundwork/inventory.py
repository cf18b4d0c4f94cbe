"""Records of what was loaded into each store: one file per store under HOME/stores.

HOME is the folder for all that the program writes. These files distinguish a store that was lost from a store that
never existed, and they say what a lost store contained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.manifest import Fault
from groundwork.records import Release
from groundwork.records.release import file_name, label

_FOLDER = "stores"

#: Folder under HOME with one folder SOURCE/ID per snapshot, and the name of the file there that describes the snapshot.
SNAPSHOTS, MANIFEST = "snapshots", "manifest.json"


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


def files_of(home: Path, source: str, id: str, sha256: str = "") -> tuple[str, ...]:
    """Return the paths of the files from which a release was loaded; empty if HOME does not know them.

    A snapshot knows its files. The files of a load without a snapshot are in the record of a store.

    Args:
        home: The folder HOME.
        source: Source of the release.
        id: ID of the release.
        sha256: If given, a snapshot that was made from other bytes is not the release.
    """
    try:
        shape = manifest.read(home / SNAPSHOTS / source / id / MANIFEST)
        known = not sha256 or shape["sha256"] == sha256
        return tuple(str(file["path"]) for file in shape["files"]) if known else ()
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is no snapshot, or it is damaged, which `Snapshots.faults` reports
    for path in sorted((home / _FOLDER).glob("*.json")):
        try:
            if paths := manifest.read(path)["files"].get(f"{source}:{id}"):
                return tuple(map(str, paths))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # it is damaged, which `faults` reports
    return ()


def with_files(home: Path, releases: Iterable[Release]) -> tuple[Release, ...]:
    """Return releases with the names of their files, as far as HOME knows them."""
    paths = {one: files_of(home, one.source, one.id, one.sha256) for one in releases}
    return tuple(replace(one, files=tuple(map(file_name, found))) for one, found in paths.items())


def labels(home: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return releases for people to read: each `SOURCE:ID`, with the names of its files if HOME knows them."""
    return tuple(label(name, files_of(home, *name.split(":", 1))) for name in names)


def named(home: Path, releases: Iterable[Release]) -> str:
    """Return releases for the text of a message: each as in `labels`, separated by commas."""
    return ", ".join(label(f"{one.source}:{one.id}", one.files) for one in with_files(home, releases))


def check_never_filled(home: Path, address: str, remedy: str) -> None:
    """Check that HOME records no load into a missing store, so that the store may be treated as empty.

    Raises:
        DamagedStore: If HOME records a load into the store.
    """
    known = holdings(home, address)
    if known is None:
        return
    lost = named(home, (release for release in known.releases if release.state == "live")) or "data"
    raise DamagedStore(
        f"the store {address} is missing, but according to {_path(home, address)} it contained {lost}",
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
