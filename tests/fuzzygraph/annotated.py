"""Sentences of BioRED and BC5CDR that hold exactly one annotated pair, read from the PubTator files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzzygraph.triples.triple import End, Triple
from groundwork.language import sentences
from groundwork.linking import Mention

_ID = re.compile(r"[|,;]")
FILES = ("bc5cdr/CDR_TrainingSet.PubTator.txt", "biored/Train.PubTator")


@dataclass(frozen=True)
class Annotated:
    """A sentence, the places, types and ids of its concepts, and the one related pair among them."""

    text: str
    names: tuple[tuple[int, int, str, frozenset[str]], ...]
    pair: frozenset[str]

    @property
    def mentions(self) -> list[Mention]:
        """The names as mentions, with the ids for a key."""
        return [
            Mention(self.text[a:b], a, b, f"{kind}|{','.join(sorted(ids))}", self.text[a:b], 1.0)
            for a, b, kind, ids in self.names
        ]

    def joins(self, triple: Triple) -> bool:
        """Whether a triple has one concept of the pair in its subject and the other in its object."""
        left, right = (self._ids(end) for end in (triple.subject, triple.object))
        first, second = sorted(self.pair)
        return (first in left and second in right) or (second in left and first in right)

    def _ids(self, end: End) -> set[str]:
        inside = [ids for a, b, _, ids in self.names if self.text[a:b] in end.text]
        return {ident for ids in inside for ident in ids}


def sentences_with_one_pair(data: Path) -> list[Annotated]:
    """Return all sentences that hold exactly one annotated pair, in file order."""
    return [found for name in FILES for found in _of_file(data / name)]


def _of_file(path: Path) -> Iterator[Annotated]:
    for block in re.split(r"\n\s*\n", path.read_text("utf-8")):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        texts = dict(re.findall(r"^\d+\|([ta])\|(.*)$", block, re.M))
        names = [(int(r[1]), int(r[2]), r[4], r[5]) for r in rows if r[1].isdigit() and r[5] not in {"-", "-1"}]
        related = {frozenset(r[2:4]) for r in rows if not r[1].isdigit() and r[2] != r[3]}
        for sentence in sentences(f"{texts.get('t', '')} {texts.get('a', '')}"):
            inside = [
                (a - sentence.start, b - sentence.start, kind, i)
                for a, b, kind, i in names
                if sentence.start <= a and b <= sentence.end
            ]
            ids = {ident for *_, joined in inside for ident in _ID.split(joined)}
            pairs = [pair for pair in related if pair <= ids]
            if len(pairs) == 1:
                yield Annotated(sentence.text, _apart(inside), pairs[0])


def _apart(names: list[tuple[int, int, str, str]]) -> tuple[tuple[int, int, str, frozenset[str]], ...]:
    """The longest of overlapping names, in order."""
    kept: list[tuple[int, int, str, str]] = []
    for name in sorted(names, key=lambda n: (n[0] - n[1], n[0])):
        if all(name[1] <= other[0] or other[1] <= name[0] for other in kept):
            kept.append(name)
    return tuple((a, b, kind, frozenset(_ID.split(ids))) for a, b, kind, ids in sorted(kept))
