"""Measure how well annotated words of BioRED are linked to their annotated concepts.

    python -m benchmarks.quality.linking [--held-out | --bc5cdr | --fold N]

The names in the graph come from the other training abstracts and from dictionaries (`corpus`). Without an option, a
fold of BioRED Train is linked; --bc5cdr links one half of BC5CDR's training set. A link is right if it is one of the
annotation's ids. @1 and @5 count candidates in their order, even if the link is ambiguous or refused. A link is
accepted if it has a key and is not ambiguous. "known" is the share of annotations with an id in the graph; @1
and @5 cannot exceed it. "plain" is the result of `rival` with the same names.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from benchmarks.quality import corpus
from benchmarks.quality.corpus import Article
from benchmarks.quality.rival import Dictionary
from cypher import connect
from groundwork.linking import Linker, Mention
from groundwork.settings import Settings
from groundwork.surroundings import Surroundings
from groundwork.tables import concept_batch
from tests.conftest import DATA

TYPES = ("Disease", "Chemical", "Gene", "Species")
FOLDS = 4


@dataclass
class Counts:
    """The results for the annotations of one type."""

    n: int = 0
    known: int = 0
    first: int = 0
    five: int = 0
    accepted: int = 0
    right: int = 0
    unseen: int = 0
    unseen_first: int = 0
    plain_first: int = 0
    plain_five: int = 0
    plain_unseen: int = 0
    by_how: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))

    def share(self, part: int, whole: int | None = None) -> float:
        """Return a part as a share of the whole, by default of `n`; 0 if the whole is 0."""
        return part / max(1, self.n if whole is None else whole)


def fold(data: Path, number: int) -> tuple[list[Article], list[Article]]:
    """Return (articles to learn from, articles to test on). A random fourth of BioRED Train is tested, and all other
    training abstracts are for learning."""
    order = corpus.biored_training(data)
    Random(7).shuffle(order)
    chosen = set(order[number::FOLDS])
    articles = corpus.training(data)
    return [a for a in articles if a.pmid not in chosen], [a for a in articles if a.pmid in chosen]


def linked(data: Path, learned: Sequence[Article], tested: Iterable[Article]) -> dict[str, Counts]:
    """Link every annotation of some articles within its article."""
    mentioned = corpus.mentioned(learned)
    dictionary = corpus.dictionaries(data, full=True)
    concepts = corpus.concepts(mentioned, dictionary)
    plain = Dictionary(mentioned, dictionary)
    known = {concept.key for concept in concepts}
    seen = {(a.type, a.text.casefold()) for article in learned for a in article.annotations}
    counts: dict[str, Counts] = defaultdict(Counts)
    with tempfile.TemporaryDirectory() as home:
        graph = connect("memory:", Settings(home=Path(home)))
        with graph.writing():
            graph.put_concepts([concept_batch(concepts)])
        linker = Linker(graph)
        for article in tested:
            within = Surroundings.of(article.text)
            done: dict[tuple[str, str], Mention] = {}
            for given in article.annotations:
                if given.type in TYPES and given.keys:
                    named = given.text, given.type
                    if named not in done:
                        done[named] = linker.link(given.text, type=given.type, within=within)
                    unseen = (given.type, given.text.casefold()) not in seen
                    _count(counts[given.type], done[named], given, known, unseen=unseen)
                    _count_plain(counts[given.type], plain.ranked(given), given, unseen=unseen)
        graph.close()
    return counts


def _count(counts: Counts, mention: Mention, given: corpus.Annotation, known: set[str], *, unseen: bool) -> None:
    ranked = [match.key for match in mention.alternatives]
    first = bool(ranked) and ranked[0] in given.keys
    counts.n += 1
    counts.known += not known.isdisjoint(given.keys)
    counts.first += first
    counts.five += not set(ranked[:5]).isdisjoint(given.keys)
    if unseen:
        counts.unseen += 1
        counts.unseen_first += first
    if mention.key is not None and not mention.ambiguous:
        counts.accepted += 1
        counts.right += mention.key in given.keys
        counts.by_how[mention.how][mention.key in given.keys] += 1


def _count_plain(counts: Counts, ranked: Sequence[str], given: corpus.Annotation, *, unseen: bool) -> None:
    first = bool(ranked) and ranked[0] in given.keys
    counts.plain_first += first
    counts.plain_five += not set(ranked[:5]).isdisjoint(given.keys)
    counts.plain_unseen += unseen and first


def table(counts: dict[str, Counts]) -> Table:
    """Return a table of the figures, two rows per type."""
    shown = Table(
        "type", "linked by", "n", "known", "@1", "@5", "@1 of known", "accepted", "precision", "unseen", "@1 of it"
    )
    for kind in TYPES:
        c = counts[kind]
        shared = str(c.n), f"{c.share(c.known):.3f}"
        rows = {
            "ours": (c.first, c.five, c.unseen_first, c.accepted, c.right),
            "plain": (c.plain_first, c.plain_five, c.plain_unseen, c.n, c.plain_first),
        }
        for name, (first, five, unseen, accepted, right) in rows.items():
            figures = (
                c.share(first),
                c.share(five),
                c.share(first, c.known),
                c.share(accepted),
                c.share(right, accepted),
            )
            shown.add_row(
                kind, name, *shared, *(f"{x:.3f}" for x in figures), str(c.unseen), f"{c.share(unseen, c.unseen):.3f}"
            )
    accepted, right = sum(c.accepted for c in counts.values()), sum(c.right for c in counts.values())
    shown.caption = f"precision over all accepted links {right / max(1, accepted):.3f} (n = {accepted})"
    return shown


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    split = parser.add_mutually_exclusive_group()
    split.add_argument("--held-out", action="store_true", help="BioRED Dev")
    split.add_argument("--bc5cdr", action="store_true", help="BC5CDR's development half")
    split.add_argument("--fold", type=int, default=0)
    asked = parser.parse_args()
    if asked.held_out:
        learned, tested = corpus.training(DATA), corpus.held_out(DATA)
    else:
        learned, tested = corpus.bc5cdr(DATA) if asked.bc5cdr else fold(DATA, asked.fold)
    counts = linked(DATA, learned, tested)
    console = Console(width=140)
    console.print(table(counts))
    for kind in TYPES:
        hows = {how: f"{n[True]}/{n.total()}" for how, n in sorted(counts[kind].by_how.items())}
        console.print(kind, hows)


if __name__ == "__main__":
    main()
