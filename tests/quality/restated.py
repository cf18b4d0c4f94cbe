"""What the rules decide once a related pair is reworded without its relation, or lengthened by what nobody said.

`python -m tests.quality.restated [--documents FILE] [--reader WEIGHTS] [--reasons 10]`: the pairs whose relation has a
sign, with their own articles in the store. "A was studied with B." must decide nothing; a supported statement must not
stay so "in pregnant women with epilepsy". For honest figures, the weights come from other documents than these.
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from groundwork.settings import load
from ingest import load_documents
from knowhd.report import ClaimReport
from tests.conftest import DATA
from truthhypo.bench.reader.examples import labels, read_documents
from truthhypo.connection import connect
from truthhypo.world import World

REWORDED, LENGTHENED = 80, 46
VERBS = {"up": "increases", "down": "decreases"}
DECIDED = ("supported", "contradicted")


def pairs(path: Path) -> list[tuple[str, str, str]]:
    """Return both names of each pair and the sign of its relation, in a drawn order that is always the same."""
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


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, default=DATA / "biored" / "Dev.PubTator")
    parser.add_argument("--reader", default="")
    parser.add_argument("--reasons", type=int, default=10)
    options = parser.parse_args()
    drawn = pairs(options.documents)
    with (
        TemporaryDirectory() as home,
        connect(load({"home": home, "reader": options.reader})[0], read_only=False) as world,
    ):
        load_documents([str(options.documents)], world.graph_store, world.literature_store, world.settings)
        plain = [f"{head} was studied with {tail}." for head, _, tail in drawn[:REWORDED]]
        reworded = [each for said in plain for each in judged(world, said)]
        kept = [each for each, _ in zip(supported(world, drawn), range(LENGTHENED), strict=False)]
        longer = [each for said, _ in kept for each in judged(world, f"{said} in pregnant women with epilepsy.")]
        decided, still = (
            sum(verdict in wanted for verdict, _ in each)
            for each, wanted in ((reworded, DECIDED), (longer, DECIDED[:1]))
        )
        partly = sum("partly" in claim.flags for _, claim in longer)
        console = Console(width=120)
        console.print(f"reworded: {len(plain)}, decided {decided}")
        console.print(f"lengthened: {len(kept)}, still supported {still}, flagged partly {partly}")
        for head, label, tail in drawn[-options.reasons :]:
            for verdict, claim in judged(world, f"{head} {VERBS[label]} {tail}."):
                console.print(f"{verdict}: {claim.text} {claim.reason}")


if __name__ == "__main__":
    main()
