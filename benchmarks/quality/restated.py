"""Measure what the rules decide if a statement loses its relation, or gets an addition that no article states.

`python -m benchmarks.quality.restated [--documents FILE] [--reader WEIGHTS] [--reasons 10]` judges statements about
pairs with a signed relation. The store holds the articles of these pairs. "A was studied with B." must not be decided,
and a supported statement must not stay supported if "in pregnant women with epilepsy" is added. For honest figures, the
weights must come from other documents.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from groundwork.settings import load
from ingest import load_documents
from knowhd.ground_report import ClaimReport
from tests.conftest import DATA
from truthhypo.bench.reader.examples import labels, read_documents
from truthhypo.connection import connect
from truthhypo.world import World

REWORDED, LENGTHENED = 80, 46
VERBS = {"up": "increases", "down": "decreases"}
DECIDED = ("supported", "contradicted")


def pairs(path: Path) -> list[tuple[str, str, str]]:
    """Return both names of each pair and the sign of its relation, in a random order with a fixed seed."""
    found = []
    for document in read_documents([path]):
        names = {each.key: each.mention for each in reversed(document.annotations)}
        for pair, label in labels(document).items():
            if label in VERBS and len(pair) == 2 and all(key in names for key in pair):
                first, second = sorted(pair)
                found.append((names[first][:1].upper() + names[first][1:], label, names[second]))
    random.Random(9).shuffle(found)
    return found


def judged(world: World, text: str) -> list[tuple[str, ClaimReport]]:
    """Return the claims of a text with their verdicts by graph and literature together."""
    return [(claim.verdicts["both"], claim) for claim in world.ground(text).claims]


def supported(world: World, drawn: list[tuple[str, str, str]]) -> Iterator[tuple[str, ClaimReport]]:
    """Yield statements that are supported, without their full stop."""
    for head, label, tail in drawn:
        said = f"{head} {VERBS[label]} {tail}"
        for verdict, claim in judged(world, f"{said}."):
            if verdict == "supported":
                yield said, claim


@dataclass(frozen=True)
class Measured:
    """The numbers of reworded and lengthened statements, and the verdicts on them."""

    reworded: int
    decided: int
    lengthened: int
    still: int
    partly: int


def measured(world: World, drawn: list[tuple[str, str, str]]) -> Measured:
    """Return what the rules decide about reworded and lengthened statements."""
    plain = [f"{head} was studied with {tail}." for head, _, tail in drawn[:REWORDED]]
    reworded = [verdict for said in plain for verdict, _ in judged(world, said)]
    kept = [said for (said, _), _ in zip(supported(world, drawn), range(LENGTHENED), strict=False)]
    longer = [each for said in kept for each in judged(world, f"{said} in pregnant women with epilepsy.")]
    decided, still = (
        sum(verdict in wanted for verdict in verdicts)
        for verdicts, wanted in ((reworded, DECIDED), ([verdict for verdict, _ in longer], DECIDED[:1]))
    )
    return Measured(len(plain), decided, len(kept), still, sum("partly" in claim.flags for _, claim in longer))


def loaded(home: Path, documents: Path, reader: str = "") -> World:
    """Return a world under HOME that holds documents and their relations."""
    world = connect(load({"home": home, "reader": reader})[0], read_only=False)
    load_documents([str(documents)], world.graph_store, world.literature_store, world.settings)
    return world


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, default=DATA / "biored" / "Dev.PubTator")
    parser.add_argument("--reader", default="")
    parser.add_argument("--reasons", type=int, default=10)
    options = parser.parse_args()
    drawn = pairs(options.documents)
    with TemporaryDirectory() as home, loaded(Path(home), options.documents, options.reader) as world:
        found = measured(world, drawn)
        console = Console(width=120)
        console.print(f"reworded: {found.reworded}, decided {found.decided}")
        console.print(f"lengthened: {found.lengthened}, still supported {found.still}, flagged partly {found.partly}")
        for head, label, tail in drawn[-options.reasons :]:
            for verdict, claim in judged(world, f"{head} {VERBS[label]} {tail}."):
                console.print(f"{verdict}: {claim.text} {claim.reason}")


if __name__ == "__main__":
    main()
