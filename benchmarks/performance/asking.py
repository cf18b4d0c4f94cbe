"""The options that all benchmarks share, and the generated files, which are made once."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.performance.measure import module, say, timed

WORK = Path(__file__).resolve().parents[2] / ".cache" / "performance"


def parser(name: str, text: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    found = argparse.ArgumentParser(prog=f"python -m benchmarks.performance.{name}", description=text)
    found.add_argument("--repeat", type=int, default=3, help="times each way is walked; medians are told")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--work", type=Path, default=WORK, help="folder for files and scratch, kept for the next run")
    found.add_argument("--json", type=Path, help="where to write every run, with the machine")
    return found


def asked(found: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options, after making the work folder."""
    options = found.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    return options


def relations(
    work: Path, rows: int, concepts: int, seed: int, traps: float, *, table: bool = False
) -> tuple[Path, dict[str, Any]]:
    """Make a release. Return its path and its known content. With `table`, also write all edges to .parquet."""
    path = work / f"relations-{rows}-{concepts}-{seed}-{traps:g}.gz"
    edges = path.with_suffix(".parquet")
    more = ["--truth", edges] if table else []
    arguments = ["relations", "--rows", rows, "--concepts", concepts, "--seed", seed, "--traps", traps, *more]
    there = _account(path).is_file() and (edges.is_file() or not table)
    return path, _made(path, arguments, there=there)


def successor(of: Path, changed: float, removed: float, added: float) -> tuple[Path, dict[str, Any]]:
    """Make the successor of a release. Return its path and the known content (`truth`)."""
    path = of.with_name(f"{of.stem}-then-{changed:g}-{removed:g}-{added:g}.gz")
    shares = ["--changed", changed, "--removed", removed, "--added", added]
    return path, _made(path, ["successor", "--of", of, *shares], there=_account(path).is_file())


def names(work: Path, rows: int, concepts: int, seed: int, traps: float) -> tuple[Path, dict[str, Any]]:
    """Make a file of names. Return its path and its known content."""
    path = work / f"names-{rows}-{concepts}-{seed}-{traps:g}.gz"
    arguments = ["names", "--rows", rows, "--concepts", concepts, "--seed", seed, "--traps", traps]
    return path, _made(path, arguments, there=_account(path).is_file())


def articles(work: Path, records: int, seed: int) -> tuple[Path, dict[str, Any]]:
    """Make a folder of PubMed files. Return its path and their known content."""
    path = work / f"articles-{records}-{seed}"
    account = path / "truth.json"
    if not account.is_file():
        _generate(["articles", "--records", records, "--seed", seed], path)
    return path, json.loads(account.read_text("utf-8"))


def _made(path: Path, arguments: Sequence[object], *, there: bool) -> dict[str, Any]:
    if not there:
        _generate(arguments, path)
    told: dict[str, Any] = json.loads(_account(path).read_text("utf-8"))
    return told


def _generate(arguments: Sequence[object], path: Path) -> None:
    say(f"generating {path.name}")
    timed(module("generate", *arguments, "--out", path))


def _account(path: Path) -> Path:
    return path.with_name(path.name + ".truth.json")


def tell(**told: object) -> None:
    """Print the result of a rival as JSON on stdout."""
    sys.stdout.write(json.dumps(told) + "\n")
