"""Measure how often the abstract that states a relation is among the k best for a claim made from it.

    python -m benchmarks.quality.retrieval [--held-out] [--address memory:|embedded:PATH|http://...] [--sample N]

A claim says "NAME affects NAME" of the two ends of an annotated relation. `canonical`: each end has its most frequent
name, and the graph knows the names of all abstracts and dictionaries. `barred`: names that only the source abstract has
are used neither in the claim nor in the graph, and an end without any other name is called by its id. `named` are the
claims in which both ends have another name. `plain` searches the text of the claim alone. `edge` is the share of
canonical claims for which the linker finds both concepts in the text, so that the stated edge is found.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

import literature
from benchmarks.quality import corpus
from benchmarks.quality.corpus import Article, Names
from cypher import connect
from groundwork.linking import Linker, Mention
from groundwork.ports import Literature, LiteratureReader
from groundwork.records import Abstract, Concept, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch
from knowhd.claims import Claim
from knowhd.gather import query
from tests.conftest import DATA

CUTS = (1, 5, 8, 32)
VERB = "affects"


@dataclass(frozen=True)
class Stated:
    """A relation between two concepts and the abstract that states it."""

    pmid: int
    head: str
    tail: str


class Library:
    """All abstracts, the names that their authors use, and the relations that claims are made from."""

    def __init__(self, data: Path, articles: Sequence[Article]) -> None:
        self.texts = {article.pmid: article.text for article in articles}
        for pmid, text in corpus.distractors(data):
            self.texts.setdefault(pmid, text)
        self.mentioned = corpus.mentioned(articles)
        self.dictionaries = corpus.dictionaries(data)
        self._own: dict[int, Names] = {article.pmid: corpus.mentioned([article]) for article in articles}
        self.stated = [Stated(a.pmid, head, tail) for a in articles for head, _, tail in a.relations]

    def concept(self, key: str, barred: int | None = None) -> Concept:
        """Return a concept with all known names, except those that only the abstract `barred` has."""
        names = Counter(self.mentioned.get(key, Counter()))
        names.update(self.dictionaries.get(key, Counter()))
        if barred is not None:
            names.subtract(self._own[barred].get(key, Counter()))
        return corpus.concept(key, names)

    def load(self, store: Literature) -> None:
        """Put all abstracts into an index."""
        with store.writing():
            store.put(Abstract(pmid, None, Text("", text)) for pmid, text in sorted(self.texts.items()))


def claim(ends: Sequence[Concept]) -> Claim:
    """Return a claim that one concept affects the other, with linked names."""
    names = [concept.name for concept in ends]
    text = f"{names[0]} {VERB} {names[1]}"
    spans = (0, len(names[0])), (len(text) - len(names[1]), len(text))
    mentions = tuple(
        Mention(name, *span, concept.key, concept.name, 1.0)
        for name, span, concept in zip(names, spans, ends, strict=True)
    )
    return Claim(text, text, (0, len(text)), tuple(concept.key for concept in ends), mentions=mentions)


def plain(store: LiteratureReader, made: Claim, ends: Sequence[Concept]) -> list[int]:
    """Return the PMIDs found for the claim's text."""
    return [hit.pmid for hit in store.search(made.text, k=CUTS[-1]).hits]


def asked(store: LiteratureReader, made: Claim, ends: Sequence[Concept]) -> list[int]:
    """Return the PMIDs found by the query of `ground`."""
    wanted = query(made, {concept.key: concept for concept in ends})
    return [hit.pmid for hit in store.search(wanted.text, names=wanted.names, k=CUTS[-1]).hits]


def recall(
    library: Library,
    store: LiteratureReader,
    stated: Sequence[Stated],
    way: Callable[[LiteratureReader, Claim, Sequence[Concept]], list[int]],
    *,
    barred: bool,
) -> dict[str, list[float]]:
    """Return recall at `CUTS` and the number of claims: for all claims, and for those in which both ends have another
    name."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    counted: Counter[str] = Counter()
    for one in stated:
        ends = [library.concept(key, one.pmid if barred else None) for key in (one.head, one.tail)]
        pmids = way(store, claim(ends), ends)
        for group in ("all", "named") if all(end.synonyms for end in ends) else ("all",):
            counted[group] += 1
            for cut in CUTS:
                found[group][cut] += one.pmid in pmids[:cut]
    return {group: [found[group][cut] / counted[group] for cut in CUTS] + [counted[group]] for group in counted}


def edges(library: Library, stated: Sequence[Stated]) -> float:
    """Return the share of canonical claims for which both concepts are found in the text."""
    with tempfile.TemporaryDirectory() as home:
        graph = connect("memory:", Settings(home=Path(home)))
        with graph.writing():
            graph.put_concepts([concept_batch(corpus.concepts(library.mentioned, library.dictionaries))])
        linker = Linker(graph)
        right = 0
        for one in stated:
            made = claim([library.concept(one.head), library.concept(one.tail)])
            right += {one.head, one.tail} <= {mention.key for mention in linker.mentions(made.text)}
        graph.close()
    return right / len(stated)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="claims from BioRED Dev, not from training abstracts")
    parser.add_argument("--address", default="memory:")
    parser.add_argument("--sample", type=int, default=0, help="claims drawn by lot; 0: all")
    given = parser.parse_args()
    held = corpus.held_out(DATA)
    library = Library(DATA, [*corpus.training(DATA), *held])
    chosen = {article.pmid for article in held}
    stated = [one for one in library.stated if (one.pmid in chosen) == given.held_out]
    if given.sample:
        stated = Random(1).sample(stated, given.sample)
    shown = Table("claims", "asked", "of", "n", *(f"@{cut}" for cut in CUTS), title=f"{len(library.texts)} abstracts")
    with tempfile.TemporaryDirectory() as home:
        store = literature.connect(given.address, Settings(home=Path(home)))
        library.load(store)
        for barred in (False, True):
            for way in (plain, asked):
                for group, row in recall(library, store, stated, way, barred=barred).items():
                    figures = [f"{share:.3f}" for share in row[:-1]]
                    shown.add_row("barred" if barred else "canonical", way.__name__, group, str(row[-1]), *figures)
        store.close()
    console = Console(width=120)
    console.print(shown)
    console.print(f"edge: {edges(library, stated):.3f} of {len(stated)}")


if __name__ == "__main__":
    main()
