"""Command line of the generator: `python -m tests.performance.generate KIND ... --out FILE`; prints the account."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.performance.generator import release


def main(arguments: Sequence[str] | None = None) -> None:
    """Make what was asked for and say what it holds."""
    asked = _parser().parse_args(arguments)
    options: dict[str, Any] = vars(asked)
    make = options.pop("make")
    try:
        told = make(options.pop("out"), **options)
    except ValueError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.performance.generate", description=__doc__)
    kinds = parser.add_subparsers(required=True)
    relations = kinds.add_parser("relations", help="a release as relation2pubtator3")
    relations.add_argument("--rows", type=int, required=True)
    relations.add_argument("--concepts", type=int, default=60_000)
    relations.add_argument("--seed", type=int, default=1)
    relations.add_argument("--traps", type=float, default=0.001, help="share of spoilt lines")
    relations.set_defaults(make=release.relations)
    successor = kinds.add_parser("successor", help="the release that follows one made by `relations`")
    successor.add_argument("--of", type=Path, required=True)
    successor.add_argument("--changed", type=float, default=0.02)
    successor.add_argument("--removed", type=float, default=0.01)
    successor.add_argument("--added", type=float, default=0.01)
    successor.set_defaults(make=release.successor)
    for kind in (relations, successor):
        kind.add_argument("--truth", dest="table", type=Path, help="all edges with their PMIDs, as Parquet")
    for kind in kinds.choices.values():
        kind.add_argument("--out", type=Path, required=True)
    return parser


if __name__ == "__main__":
    main()
