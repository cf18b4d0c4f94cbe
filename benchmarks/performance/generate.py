"""Generate release files: `python -m benchmarks.performance.generate KIND ... --out FILE` prints the account."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.performance.generator import articles, names, release


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the files, and print their account."""
    asked = _parser().parse_args(arguments)
    options: dict[str, Any] = vars(asked)
    make = options.pop("make")
    try:
        told = make(options.pop("out"), **options)
    except ValueError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.performance.generate", description=__doc__)
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
    named = kinds.add_parser("names", help="names of concepts as bioconcepts2pubtator3")
    named.add_argument("--rows", type=int, required=True)
    named.add_argument("--concepts", type=int, default=60_000)
    named.add_argument("--seed", type=int, default=1)
    named.add_argument("--traps", type=float, default=0.001, help="share of spoilt lines")
    named.set_defaults(make=names.names)
    for kind in (relations, successor, named):
        kind.add_argument("--truth", dest="table", type=Path, help="all edges or names, as Parquet")
    read = kinds.add_parser("articles", help="PubMed's files; --out is a folder")
    read.add_argument("--records", type=int, required=True)
    read.add_argument("--files", type=int, default=3)
    read.add_argument("--seed", type=int, default=1)
    read.set_defaults(make=articles.articles)
    for kind in kinds.choices.values():
        kind.add_argument("--out", type=Path, required=True)
    return parser


if __name__ == "__main__":
    main()
