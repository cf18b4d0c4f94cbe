"""The training pairs of an entailment judge, kept apart from the pairs on which it is judged."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random

from knowhd.judge import Verdict
from tests.quality.fine_tuning import Example
from truthhypo.bench.grid.questions import statement
from truthhypo.bench.judge_calibration.labelled import Pair, biored, evidence_of

#: Number of BioRED's claims that are read for each label, and of pairs of a HealthVer claim that are used for each
#: label: such a claim has eight similar pairs.
READ, ALIKE = 900, 3
_ANSWERS: Mapping[str, Verdict] = {"yes": "supported", "no": "contradicted", "maybe": "not_enough"}


def stated(pairs: Sequence[Pair]) -> list[Example]:
    """Return claims with all of their evidence."""
    return [Example(text_of(pair), pair.claim.text, pair.label) for pair in pairs]


def read(path: Path, each: int = READ, seed: int = 0) -> list[Example]:
    """Return claims of a BioRED file, each with a sentence that names both ends, or at least one of unrelated ends."""
    found: dict[Verdict, list[Example]] = {}
    for pair in biored(path):
        ends = {mention.key for mention in pair.claim.mentions}
        named = [(len(ends & {m.key for m in p.mentions}), p.sentence) for p in pair.evidence.literature]
        most, premise = max(named, key=lambda one: one[0])
        if most == len(ends) or (most and pair.label == "not_enough"):
            found.setdefault(pair.label, []).append(Example(premise, pair.claim.text, pair.label))
    random = Random(seed)
    return [example for kind in found.values() for example in random.sample(kind, min(each, len(kind)))]


def answered(path: Path) -> list[Example]:
    """Return PubMedQA's questions as statements, with the authors' conclusion."""
    items = json.loads(path.read_text("utf-8")).values()
    return [
        Example(item["LONG_ANSWER"], statement(item["QUESTION"]), _ANSWERS[item["final_decision"]]) for item in items
    ]


def folds(pairs: Sequence[Pair], count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (training pairs, judged pairs) of each fold. A question is in one fold, and no training pair shares
    evidence with the fold."""
    given = [sha256(f"fold {pair.group}".encode()).digest()[0] % count for pair in pairs]
    for fold in range(count):
        inside = [n for n, of in enumerate(given) if of == fold]
        texts = {evidence_of(pairs[n]) for n in inside}
        yield [n for n, of in enumerate(given) if of != fold and evidence_of(pairs[n]) not in texts], inside


def few(pairs: Sequence[Pair], each: int = ALIKE) -> list[Pair]:
    """Return the first pairs of each claim and label."""
    seen: Counter[tuple[str, Verdict]] = Counter()
    found = []
    for pair in pairs:
        seen[kind := (pair.claim.text, pair.label)] += 1
        if seen[kind] <= each:
            found.append(pair)
    return found


def text_of(pair: Pair) -> str:
    """Return all evidence of a pair, unchanged."""
    return " ".join(passage.sentence for passage in pair.evidence.literature)
