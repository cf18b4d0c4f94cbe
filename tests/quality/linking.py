"""How well annotated words of BioRED are linked to the concepts that people gave them.

    python -m tests.quality.linking [--held-out] [--fold N]

The graph's names are those of the other training abstracts and of dictionaries (`corpus`). Without --held-out a fold of
BioRED Train is linked. A link counts as right if it is one of the annotation's ids; it is accepted if there is a key and
it is not called ambiguous. "known" is the share whose id the graph holds at all, which bounds all else.
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

from cypher import connect
from groundwork.linking import Linker, Mention
from groundwork.settings import Settings
from groundwork.surroundings import Surroundings
from groundwork.tables import concept_batch
from tests.conftest import DATA
from tests.quality import corpus
from tests.quality.corpus import Article

TYPES = ("Disease", "Chemical", "Gene", "Species")
FOLDS = 4


@dataclass
class Counts:
    """How annotations of one type fared."""

    n: int = 0
    known: int = 0
    first: int = 0
    five: int = 0
    accepted: int = 0
    right: int = 0
    unseen: int = 0
    unseen_first: int = 0
    by_how: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))

    def share(self, part: int, whole: int | None = None) -> float:
        """A part of all, or of another number; 0 of nothing."""
        return part / max(1, self.n if whole is None else whole)


def fold(data: Path, number: int) -> tuple[list[Article], list[Article]]:
    """(learned from, tested on): a fourth of BioRED Train by lot, and all other training abstracts."""
    order = corpus.biored_training(data)
    Random(7).shuffle(order)
    chosen = set(order[number::FOLDS])
    articles = corpus.training(data)
    return [a for a in articles if a.pmid not in chosen], [a for a in articles if a.pmid in chosen]


def linked(data: Path, learned: Sequence[Article], tested: Iterable[Article]) -> dict[str, Counts]:
    """Link every annotation of some articles within its article."""
    mentioned = corpus.mentioned(learned)
    concepts = corpus.concepts(mentioned, corpus.dictionaries(data))
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
                    _count(counts[given.type], done[named], given, known, (given.type, given.text.casefold()) in seen)
        graph.close()
    return counts


def _count(counts: Counts, mention: Mention, given: corpus.Annotation, known: set[str], seen: bool) -> None:
    ranked = [match.key for match in mention.alternatives]
    first = bool(ranked) and ranked[0] in given.keys
    counts.n += 1
    counts.known += not known.isdisjoint(given.keys)
    counts.first += first
    counts.five += not set(ranked[:5]).isdisjoint(given.keys)
    if not seen:
        counts.unseen += 1
        counts.unseen_first += first
    if mention.key is not None and not mention.ambiguous:
        counts.accepted += 1
        counts.right += mention.key in given.keys
        counts.by_how[mention.how][mention.key in given.keys] += 1


def table(counts: dict[str, Counts]) -> Table:
    """The figures, a line a type."""
    shown = Table("type", "n", "known", "@1", "@5", "@1 of known", "accepted", "precision", "unseen", "unseen @1")
    for kind in TYPES:
        c = counts[kind]
        figures = [
            c.share(c.known), c.share(c.first), c.share(c.five), c.share(c.first, c.known), c.share(c.accepted),
            c.share(c.right, c.accepted),
        ]  # fmt: skip
        unseen = f"{c.share(c.unseen_first, c.unseen):.3f}"
        shown.add_row(kind, str(c.n), *(f"{figure:.3f}" for figure in figures), str(c.unseen), unseen)
    accepted, right = sum(c.accepted for c in counts.values()), sum(c.right for c in counts.values())
    shown.caption = f"precision over all accepted links {right / max(1, accepted):.3f} (n = {accepted})"
    return shown


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--fold", type=int, default=0)
    asked = parser.parse_args()
    split = (corpus.training(DATA), corpus.held_out(DATA)) if asked.held_out else fold(DATA, asked.fold)
    counts = linked(DATA, *split)
    console = Console(width=140)
    console.print(table(counts))
    for kind in TYPES:
        hows = {how: f"{n[True]}/{n.total()}" for how, n in sorted(counts[kind].by_how.items())}
        console.print(kind, hows)


if __name__ == "__main__":
    main()
