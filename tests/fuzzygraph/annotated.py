"""Sentences of BioRED and BC5CDR that hold exactly one annotated pair, read from the PubTator files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzzygraph.triples.syntax import Tree, Word
from fuzzygraph.triples.triple import Triple
from groundwork.language import sentences

_ID = re.compile(r"[|,;]")
FILES = ("bc5cdr/CDR_TrainingSet.PubTator.txt", "biored/Train.PubTator")


@dataclass(frozen=True)
class Annotated:
    """A sentence, where its concepts stand with their ids, and the one related pair among them."""

    text: str
    names: tuple[tuple[tuple[int, int], frozenset[str]], ...]
    pair: frozenset[str]

    def joins(self, first: Word, second: Word) -> bool:
        """Whether two words are the pair."""
        return self._between(first.start, first.end, second.start, second.end)

    def covers(self, tree: Tree, triple: Triple) -> bool:
        """Whether everything below a triple's two words holds the pair, one on each side."""
        sides = [list(tree.subtree(word)) for word in (triple.subject.word, triple.object.word)]
        spans = [edge for side in sides for edge in (min(w.start for w in side), max(w.end for w in side))]
        return self._between(*spans)

    def _between(self, a: int, b: int, c: int, d: int) -> bool:
        left, right = self._ids(a, b), self._ids(c, d)
        first, second = sorted(self.pair)
        return (first in left and second in right) or (second in left and first in right)

    def _ids(self, start: int, end: int) -> set[str]:
        return {ident for (a, b), ids in self.names if start <= a and b <= end for ident in ids}


def sentences_with_one_pair(data: Path) -> list[Annotated]:
    """All such sentences, in file order."""
    return [found for name in FILES for found in _of_file(data / name)]


def _of_file(path: Path) -> Iterator[Annotated]:
    for block in re.split(r"\n\s*\n", path.read_text("utf-8")):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        texts = dict(re.findall(r"^\d+\|([ta])\|(.*)$", block, re.M))
        names = [(int(r[1]), int(r[2]), r[5]) for r in rows if r[1].isdigit() and r[5] not in {"-", "-1"}]
        related = {frozenset(r[2:4]) for r in rows if not r[1].isdigit() and r[2] != r[3]}
        for sentence in sentences(f"{texts.get('t', '')} {texts.get('a', '')}"):
            inside = [
                (a - sentence.start, b - sentence.start, i)
                for a, b, i in names
                if sentence.start <= a and b <= sentence.end
            ]
            ids = {ident for *_, joined in inside for ident in _ID.split(joined)}
            pairs = [pair for pair in related if pair <= ids]
            if len(pairs) == 1:
                yield Annotated(sentence.text, _apart(inside), pairs[0])


def _apart(names: list[tuple[int, int, str]]) -> tuple[tuple[tuple[int, int], frozenset[str]], ...]:
    """The longest of overlapping names, in order."""
    kept: list[tuple[int, int, str]] = []
    for name in sorted(names, key=lambda n: (n[0] - n[1], n[0])):
        if all(name[1] <= other[0] or other[1] <= name[0] for other in kept):
            kept.append(name)
    return tuple(((a, b), frozenset(_ID.split(ids))) for a, b, ids in sorted(kept))
