"""Releases of relations: the file, its account beside it, and the successor of a release."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.performance.generator import lines, truth
from benchmarks.performance.generator.evidence import Recipe, World

_REPEATS = 0.01  # rows that are repeated, as a share of the evidence


def relations(
    out: Path, *, rows: int, concepts: int, seed: int = 1, traps: float = 0.001, table: Path | None = None
) -> dict[str, Any]:
    """Write a first release of about `rows` rows. Its account says how many.

    Args:
        out: The file, compressed if its name ends in .gz. The account has the same name with .truth.json at its end.
        rows: Wanted number of rows, including rejected rows and repeats.
        concepts: Number of concepts that may be related.
        seed: The same seed gives the same bytes.
        traps: Spoilt lines as a share of the evidence.
        table: Where to write all edges with their PMIDs, if anywhere.
    """
    recipe = Recipe(max(1, round(rows / (1 + _REPEATS + traps))), concepts, seed)
    return _make(out, recipe, traps, table)


def successor(
    out: Path, *, of: Path, changed: float = 0.02, removed: float = 0.01, added: float = 0.01, table: Path | None = None
) -> dict[str, Any]:
    """Write the release that follows a first release: shares of its edges are changed, removed and added.

    Raises:
        ValueError: `of` has no account beside it, or follows another release itself.
    """
    beside = account(of)
    if not beside.is_file():
        raise ValueError(f"{of} has no account {beside.name} beside it; generate it with `relations` first")
    known = json.loads(beside.read_text("utf-8"))
    recipe = Recipe(**known["recipe"])
    if recipe.changed is not None:
        raise ValueError(f"{of} is a successor itself; name the release that it follows")
    return _make(out, replace(recipe, changed=changed, removed=removed, added=added), known["traps"], table)


def account(path: Path) -> Path:
    """Return the path of the account of a file."""
    return path.with_name(path.name + ".truth.json")


def _make(out: Path, recipe: Recipe, traps: float, table: Path | None) -> dict[str, Any]:
    world = World(recipe)
    part = 11 if recipe.changed is None else 12
    extras = lines.Extras(world.evidence, traps, _REPEATS, recipe.rng(part))
    lines.write(out, lines.rows_of(world), extras)
    told = {"recipe": asdict(recipe), "traps": traps, **truth.tell(world, extras, table)}
    account(out).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told
