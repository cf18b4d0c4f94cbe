"""Describe how an answer was produced: the version of this program, the prompts and the live releases."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from groundwork.ports import Graph
from groundwork.settings import Settings
from knowhd.marks import FILE

_ROOMS = ("groundwork", "cypher", "literature", "ingest", "knowhd", "fuzzygraph", "truthhypo")
#: Package and name of each prompt.
_PROMPTS = (
    ("truthhypo.hypotheses", "hypothesize"),
    *(("knowhd", name) for name in ("claims", "judge", "judge_once", "judge_joint")),
)


@cache
def program() -> str:
    """Return the version of this program and a digest of its files, which may differ from those of the release."""
    return f"{version('truthhypo')}+{digest_of(Path(str(files(room))) for room in _ROOMS)}"


def digest_of(folders: Iterable[Path]) -> str:
    """Return a digest (12 hex digits) of the names and content of all files in the folders, except __pycache__."""
    whole = sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                told = f"{folder.name}/{path.relative_to(folder).as_posix()}"
                whole.update(f"{told}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:12]


def digest(shape: object) -> str:
    """Return a digest of a JSON value as 12 hex digits. The order of the fields does not matter."""
    return sha256(json.dumps(shape, sort_keys=True, default=str).encode()).hexdigest()[:12]


def prompts() -> dict[str, Mapping[str, str]]:
    """Return the version and SHA-256 of each prompt, by the name of the prompt."""
    return {name: _hashed(package, name) for package, name in _PROMPTS}


def judging_files(held: Settings) -> dict[str, str]:
    """Return the SHA-256 of each file of a user on which verdicts depend; empty if there is no such file."""
    files = {"reader": held.reader, "medv1_prompt": held.medv1_prompt, "marks": str(held.home / FILE)}
    paths = {name: Path(file).expanduser() for name, file in files.items() if file}
    return dict.fromkeys(files, "") | {
        name: sha256(path.read_bytes()).hexdigest() for name, path in paths.items() if path.is_file()
    }


def live_releases(graph: Graph) -> tuple[dict[str, str], ...]:
    """Return the source, id and SHA-256 of each live release of a graph."""
    return tuple(
        {"source": each.source, "id": each.id, "sha256": each.sha256}
        for each in graph.releases()
        if each.state == "live"
    )


def _hashed(package: str, name: str) -> Mapping[str, str]:
    text = files(package).joinpath(f"prompts/{name}.txt").read_bytes()
    first = text.partition(b"\n")[0].decode().removeprefix("version:").strip()
    return {"version": first, "sha256": sha256(text).hexdigest()}
