"""Measure how many opposites are recognised by words and affixes, and how many near names are wrongly recognised.

    WNSEARCHDIR=FOLDER .venv-models/bin/python -m benchmarks.quality.opposites [--keep FOLDER]

There are four sets of opposites: our own pairs (`opposites.tsv`); sixty pairs that were written before the lists were
extended by the judge's verbs, and that nobody has looked at since (`opposites_unseen.tsv`); MeSH's headings that differ
in one word by antonyms of WordNet; headings that differ in one word by opposite affixes, from a list that the product
does not use. False positives are counted on siblings with a cosine of at least 0.5. A cosine threshold with the same
rate of false positives is shown for comparison.
"""

import argparse
import csv
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.quality.held_out_split import Floats
from benchmarks.quality.siblings import KEPT, PAIRS, Kept, Mesh, Pair, minilm
from fuzzygraph.embed import connect
from fuzzygraph.words import installed_wordnet
from groundwork.spelling import opposed_pairs, variants
from tests.conftest import DATA

#: Names with at least this cosine are near, so that opposites among them must be recognised.
SIMILAR = 0.5
#: The set for which only the share is shown, and no pairs.
UNSEEN = "unseen"
#: Contrary Greek and Latin prefixes, as handbooks of medical terms list them. Prefixes of number (mono-, oligo-, poly-)
#: are left out, because a number has no opposite.
_CONTRARY = (
    ("hyper", "hypo"),
    ("hyper", "a"),
    ("tachy", "brady"),
    ("macro", "micro"),
    ("eu", "dys"),
    ("endo", "exo"),
    ("endo", "ecto"),
    ("intra", "extra"),
    ("pre", "post"),
    ("ante", "post"),
    ("ante", "retro"),
    ("antero", "retro"),
    ("hetero", "homo"),
    ("auto", "hetero"),
    ("allo", "auto"),
    ("pro", "anti"),
    ("ana", "cata"),
    ("eso", "exo"),
    ("en", "ex"),
    ("iso", "aniso"),
    ("normo", "hyper"),
    ("normo", "hypo"),
    ("up", "down"),
    ("over", "under"),
    ("supra", "infra"),
    ("super", "sub"),
    ("de", "re"),
)
_DENYING = ("a", "an", "anti", "contra", "de", "dis", "dys", "il", "im", "in", "ir", "non", "un")
_LEAST = 5


def ours() -> tuple[list[Pair], list[Pair]]:
    """Return opposites written by hand, in two halves: those read when the rule was extended, and those not read."""
    with Path(__file__).with_name("opposites.tsv").open(encoding="utf-8") as file:
        rows = [(row[0], row[1]) for row in csv.reader(file, delimiter="\t")]
    return rows[::2], rows[1::2]


def unseen() -> list[Pair]:
    """Return pairs that nobody who extends the lists may look at. If you look at them, write new ones first."""
    with Path(__file__).with_name("opposites_unseen.tsv").open(encoding="utf-8") as file:
        return [(row[0], row[1]) for row in csv.reader(file, delimiter="\t")]


def by_wordnet(names: Sequence[str]) -> list[Pair]:
    """Return names that differ in one word by antonyms of WordNet. Without WordNet, there are none."""
    wordnet = installed_wordnet()
    gaps: dict[tuple[tuple[str, ...], int], set[Pair]] = defaultdict(set)
    for name in names:
        words = tuple(re.findall(r"[a-z]+", name.lower()))
        for n, word in enumerate(words):
            gaps[words[:n] + words[n + 1 :], n].add((word, name))
    found = set()
    for group in gaps.values() if wordnet else ():
        for word, name in group if len(group) > 1 else ():
            against = wordnet.antonyms(word) if wordnet else ()
            found |= {(name, other) for another, other in group if name < other and another in against}
    return sorted(found)


def by_affixes(names: Sequence[str]) -> list[Pair]:
    """Return names that differ in one word by contrary prefixes before five letters or more."""
    pairs = [*_CONTRARY, *((prefix, "") for prefix in _DENYING)]
    pairs += [(b, a) for a, b in pairs]
    lower = {name.lower(): name for name in names}
    known = {word for name in lower for word in re.findall(r"[a-z]+", name)}
    turned: dict[str, list[str]] = {}
    for word in known:
        rests = ((other, word[len(one) :]) for one, other in pairs if word.startswith(one))
        turned[word] = [other + rest for other, rest in rests if len(rest) >= _LEAST and other + rest in known]
    found = set()
    for name, written in lower.items():
        for word in set(re.findall(r"[a-z]+", name)):
            against = (lower.get(re.sub(rf"\b{word}\b", other, name)) for other in turned[word])
            found |= {(min(written, other), max(written, other)) for other in against if other}
    return sorted(found)


def flagged(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that are recognised as opposites in any spelling, as in `ingest similarity`."""
    told = {name: " ".join(variants(name)) for pair in pairs for name in pair}
    return [(a, b) for a, b in pairs if opposed_pairs(told[a], told[b])]


def main() -> None:
    """Print the shares."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--keep", type=Path, default=KEPT)
    asked, console, mesh = options.parse_args(), Console(width=140, highlight=False), Mesh(DATA)
    cosines = Kept(connect(str(minilm())), asked.keep).cosines
    siblings = [
        p for seed, half in enumerate(mesh.halves()) for p in mesh.named(mesh.drawn(half, PAIRS, seed).siblings)
    ]
    near = cosines(siblings)
    similar = [pair for pair, cosine in zip(siblings, near, strict=True) if cosine >= SIMILAR]
    false = flagged(similar)
    console.print(f"siblings with a cosine >= {SIMILAR}: {len(similar)}, told as opposites {len(false)}:", false)
    level = float(np.quantile(near[near >= SIMILAR], 1 - len(false) / len(similar)))
    names = sorted(set(mesh.names.values()))
    sets = {"ours, looked at": ours()[0], "ours, the others": ours()[1], UNSEEN: unseen()}
    sets |= {"MeSH, WordNet's antonyms": by_wordnet(names), "MeSH, affixes": by_affixes(names)}
    sets = {name: pairs for name, pairs in sets.items() if pairs}  # no antonyms where WordNet is not installed
    sets |= {f"{name}, cosine >= {SIMILAR}": _near(pairs, cosines) for name, pairs in list(sets.items())}
    for name, pairs in ((name, pairs) for name, pairs in sets.items() if pairs):
        told, cosine = flagged(pairs), cosines(pairs)
        console.print(
            f"{name}: {len(pairs)}, told {len(told) / len(pairs):.3f}; mean cosine {cosine.mean():.3f}, "
            f"above {level:.3f} (as many false) {(cosine > level).mean():.3f}"
        )
        if not name.startswith(UNSEEN):
            console.print("  not told:", sorted(set(pairs) - set(told)), style="dim")


def _near(pairs: Sequence[Pair], cosines: Callable[[Sequence[Pair]], Floats]) -> list[Pair]:
    return [pair for pair, cosine in zip(pairs, cosines(pairs), strict=True) if cosine >= SIMILAR]


if __name__ == "__main__":
    main()
