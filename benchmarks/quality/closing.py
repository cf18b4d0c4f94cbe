"""Count the claims of closing sentences that are decided by other articles.

`python -m benchmarks.quality.closing [--reader WEIGHTS] [--documents 100]`: the last sentences of BioRED Dev's
abstracts are judged by the literature alone, against the articles of BioRED Train and BC5CDR. A closing sentence sums
up its own article, so other articles can decide hardly any of its claims.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from benchmarks.quality.whole_ground import DECIDED, loaded
from groundwork.language import sentences
from tests.conftest import DATA
from truthhypo.bench.reader.examples import read_documents

OTHERS = [DATA / "biored" / "Train.PubTator", *sorted((DATA / "bc5cdr").glob("CDR_T*Set.PubTator.txt"))]


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reader", default="")
    parser.add_argument("--documents", type=int, default=100)
    options = parser.parse_args()
    own = read_documents([DATA / "biored" / "Dev.PubTator"])[: options.documents]
    others = {document.pmid for document in read_documents(OTHERS)}
    claims = []
    with TemporaryDirectory() as home, loaded(Path(home), options.reader, OTHERS) as world:
        for document in own:
            if document.pmid not in others:
                claims += world.ground(sentences(document.abstract)[-1].text).claims
    decided = [claim for claim in claims if claim.verdicts["literature"] in DECIDED]
    console = Console(width=120)
    console.print(f"{len(claims)} claims, {len(decided)} decided ({len(decided) / max(1, len(claims)):.3f})")
    for claim in decided:
        console.print(f"  {claim.verdicts['literature']}: {claim.text}")


if __name__ == "__main__":
    main()
