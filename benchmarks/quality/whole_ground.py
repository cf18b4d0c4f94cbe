"""Measure how often the whole command `ground` judges statements from labelled articles correctly.

`python -m benchmarks.quality.whole_ground [--documents FILE] [--reader WEIGHTS] [--related 200] [--unrelated 100]`: the
statements are about pairs with a signed relation, and about pairs that the article does not relate. They use the
article's own names. The sign of the verb is random, so a statement may be wrong. The store holds the articles, and only
the literature judges. For honest figures, the weights must come from other documents. Each wrongly undecided
statement is assigned to the step at which it was lost.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from groundwork.reading.encoder import Encoder
from groundwork.reading.encoder import connect as reader_of
from groundwork.settings import load
from ingest import load_documents
from ingest.documents.document import Document
from knowhd.claims import Claim
from knowhd.ground_report import ClaimReport
from knowhd.statement import statement_of
from tests.conftest import DATA
from truthhypo.bench.reader.examples import BYSTANDERS, labels, read_documents
from truthhypo.connection import connect
from truthhypo.world import World

VERBS = {1: ("increases", "raises"), -1: ("decreases", "lowers")}
SIGNS = {"up": 1, "down": -1}
DECIDED = ("supported", "contradicted")


@dataclass(frozen=True)
class Drawn:
    """A statement, its article and ends, its sign, and the verdict that the article's label gives it."""

    text: str
    pmid: int
    ends: tuple[str, str]
    sign: int
    verdict: str


def drawn(documents: Sequence[Document], related: int, unrelated: int) -> list[Drawn]:
    """Return statements in a random order with a fixed seed: the related pairs, then the unrelated ones."""
    lot = random.Random(19)
    kinds: dict[bool, list[Drawn]] = {True: [], False: []}
    for document in documents:
        names = {a.key: a.mention for a in reversed(document.annotations) if a.key.partition("|")[0] not in BYSTANDERS}
        known = labels(document)
        for ends in combinations(sorted(names), 2):
            label, sign = known.get(frozenset(ends)), lot.choice((1, -1))
            if label == "related":
                continue
            first, second = lot.sample(ends, 2)
            said = f"{names[first][:1].upper()}{names[first][1:]} {lot.choice(VERBS[sign])} {names[second]}."
            verdict = "not_enough" if label is None else DECIDED[SIGNS[label] != sign]
            kinds[label is not None].append(Drawn(said, document.pmid, (first, second), sign, verdict))
    for kind in kinds.values():
        lot.shuffle(kind)
    return [*kinds[True][:related], *kinds[False][:unrelated]]


def verdict_of(claims: Sequence[ClaimReport]) -> str:
    """Return the first verdict of the literature that decides, else `not_enough`."""
    return next((v for claim in claims if (v := claim.verdicts["literature"]) in DECIDED), "not_enough")


def place(one: Drawn, claims: Sequence[ClaimReport], reader: Encoder) -> str:
    """Return where the command lost a statement that it left undecided."""
    if len(claims) != 1:
        return "not one claim"
    return _of_claim(one, claims[0], reader) or _of_evidence(one, claims[0])


def _of_claim(one: Drawn, claim: ClaimReport, reader: Encoder) -> str | None:
    if not set(one.ends) <= {key for each in claim.mentions for key in each.candidates}:
        return "an end is not linked"
    if not set(one.ends) <= set(claim.concepts):
        return "an end is linked to another concept"
    read = statement_of(Claim(claim.text, claim.sentence, claim.span, claim.concepts, (), claim.mentions), reader)
    if read is None:
        return "no relation is read in the statement"
    if set(read.ends) != set(one.ends):
        return "the statement is read with other ends"
    if read.sign != one.sign:
        return "the statement's sign is read wrong"
    return None


def _of_evidence(one: Drawn, claim: ClaimReport) -> str:
    own = [passage for passage in claim.evidence.literature if passage.pmid == one.pmid]
    if not own:
        return "its article is not retrieved"
    if all(passage.stance == "about_one" or passage.stance is None for passage in own):
        return "no sentence names both ends"
    if "partly" in claim.flags:
        return "flagged partly"
    if "mixed" in claim.flags:
        return "articles on both sides"
    return "no sentence reaches the threshold"


def measured(world: World, statements: Sequence[Drawn], reader: Encoder) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of statements by outcome, and of the related ones left undecided by the place of their loss."""
    outcomes: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for one in statements:
        claims = world.ground(one.text).claims
        verdict = verdict_of(claims)
        if one.verdict == "not_enough":
            outcomes["unrelated"] += 1
            outcomes["unrelated decided"] += verdict in DECIDED
            continue
        outcomes["related"] += 1
        outcomes["related decided"] += verdict in DECIDED
        outcomes["related right"] += verdict == one.verdict
        lost[place(one, claims, reader) if verdict not in DECIDED else "decided wrong"] += verdict != one.verdict
    return outcomes, +lost


def loaded(home: Path, reader: str, documents: Sequence[Path]) -> World:
    """Return a world with stores under HOME that hold these documents, read by the weights in a file."""
    world = connect(load({"home": home, "reader": reader})[0], read_only=False)
    load_documents(list(map(str, documents)), world.graph_store, world.literature_store, world.settings)
    return world


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, default=DATA / "biored" / "Dev.PubTator")
    parser.add_argument("--reader", default="")
    parser.add_argument("--related", type=int, default=200)
    parser.add_argument("--unrelated", type=int, default=100)
    options = parser.parse_args()
    statements = drawn(read_documents([options.documents]), options.related, options.unrelated)
    with TemporaryDirectory() as home, loaded(Path(home), options.reader, [options.documents]) as world:
        found, lost = measured(world, statements, reader_of(options.reader))
    table = Table("lost", "related statements")
    for name, count in lost.most_common():
        table.add_row(name, str(count))
    console = Console(width=120)
    console.print(table)
    console.print(
        f"related: {found['related']}, decided {found['related decided']}, "
        f"right of decided {found['related right'] / max(1, found['related decided']):.3f}, "
        f"right of all {found['related right'] / max(1, found['related']):.3f}; "
        f"unrelated: {found['unrelated']}, decided {found['unrelated decided'] / max(1, found['unrelated']):.3f}"
    )


if __name__ == "__main__":
    main()
