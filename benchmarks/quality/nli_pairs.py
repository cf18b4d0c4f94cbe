"""The training pairs of an entailment judge, kept apart from the pairs on which it is judged."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

from benchmarks.quality.fine_tuning import Example
from benchmarks.quality.strangers import HERE
from knowhd.judge import Verdict
from tests.conftest import DATA
from truthhypo.bench.grid.questions import statement
from truthhypo.bench.judge_calibration.confusion import LABELS
from truthhypo.bench.judge_calibration.labelled import Pair, biored, evidence_of, pair_of
from truthhypo.bench.judge_calibration.pairs import load
from truthhypo.bench.labelled_rows import rows
from truthhypo.bench.reader import corpora
from truthhypo.bench.reader.table import HeldOut, Row

#: Number of BioRED's claims that are read for each label, and of pairs of a HealthVer claim that are used for each
#: label: such a claim has eight similar pairs.
READ, ALIKE = 900, 3
#: Number of pairs of each set of `natural` whose claims are made here.
DRAWN = 1200
_ANSWERS: Mapping[str, Verdict] = {"yes": "supported", "no": "contradicted", "maybe": "not_enough"}
_CHANGES = {"-1": "decreases", "0": "does not change", "1": "increases"}
_SIGNS = {"up": "1", "down": "-1"}

Texts = tuple[str, str, Verdict, str]


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


def natural() -> dict[str, list[Pair]]:
    """Return sets of claims as people write them and of claims made here. Groups are named after their sets."""
    draw, labelled = Random(0), DATA / "labelled"
    trials = rows(labelled / "evidence_inference" / "v2_annotations.jsonl")
    made = [_trial(each, draw) for each in trials if each["valid_label"] == "True"]
    aside = HeldOut.read(labelled / f"{name}_PMIDS.txt" for name in ("ASIDE", "EXCLUDE"))
    read = [*corpora.drugprot(labelled / "drugprot"), *corpora.cancermine(labelled / "cancermine")]
    related = [_relation(row, draw) for row in read if len(row.signs) == 1 and not aside.holds(row)]
    asked = enumerate(answered(DATA / "pubmedqa" / "pqal_dev.json"))
    written = enumerate(row for file in sorted(HERE.glob("*/pairs.jsonl")) for row in rows(file))
    found = {
        "HealthVer": load(DATA / "healthver"),
        "Citation-Integrity": load(DATA / "citation_integrity"),
        "PubMedQA": [pair_of(each.hypothesis, each.premise, each.label, str(n)) for n, each in asked],
        "strangers": [pair_of(e["claim"], " ".join(e["evidence"]), e["verdict"], str(n)) for n, e in written],
        "Evidence Inference": [pair_of(*each) for each in draw.sample(made, DRAWN)],
        "relations": [pair_of(*each) for each in draw.sample(related, DRAWN)],
    }
    return {name: [replace(pair, group=f"{name} {pair.group}") for pair in held] for name, held in found.items()}


def _trial(each: Mapping[str, str], draw: Random) -> Texts:
    """Return a claim that an outcome of a trial is raised, lowered or the same."""
    claim = f"{each['intervention']} {{}} {each['outcome']} compared with {each['comparator']}."
    return _claimed(claim, draw.choice(sorted(_CHANGES)), each["code"], each["evidence"], each["pmcid"])


def _relation(row: Row, draw: Random) -> Texts:
    """Return a claim that one end of a sentence raises or lowers the other."""
    ends = [row.text[slice(*spans[0])] for spans in (row.first, row.second)]
    claim, truth = " {} ".join(ends[::-1] if row.acts == {"second"} else ends) + ".", _SIGNS.get(*row.signs, "0")
    return _claimed(claim, draw.choice(("1", "-1")), truth, row.text, str(row.pmid))


def _claimed(claim: str, said: str, truth: str, passage: str, group: str) -> Texts:
    """Return a claim of a change, where {} stands. If nothing changed, this does not contradict a raise or a fall."""
    label = LABELS[2 if truth == "0" != said else int(said != truth)]
    return " ".join(claim.replace("{}", _CHANGES[said]).split()), " ".join(passage.split()), label, group
