"""Measure a judge on labelled pairs of claim and evidence, for the figures printed beside groundedness.

    python -m knowhd.calibrate DATA OUT.json

measures the judge by rules on the sets under DATA (the folders biored, healthver, citation_integrity) and writes the
figures that `calibration` reads. The rules were worked out on BioRED Train and on one half of the other two
(`held_out` False); the figures are those of BioRED Dev and of the other halves. Two dozen errors on BioRED Dev had
been read as well, so its figures may be slightly kind. HealthVer is split by question, since its pairs share evidence
within one.
"""

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from knowhd.calibration import Measured
from knowhd.judge import Judge, Verdict
from knowhd.labelled import Pair, biored, citation_integrity, healthver
from knowhd.rules import RuleJudge

LABELS: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")
DECIDED = LABELS[:2]


def held_out(pair: Pair) -> bool:
    """Whether a pair belongs to the half of its set that the rules were not looked at on."""
    return sha256(pair.group.encode()).digest()[-1] % 2 == 1


def measured(judge: Judge, pairs: Iterable[Pair], dataset: str) -> Measured:
    """A judge's figures on pairs, by the literature's verdict; a failed verdict counts as wrong."""
    given = [(pair.label, judge.judge(pair.claim, pair.evidence)["literature"].verdict) for pair in pairs]
    right = [label == verdict for label, verdict in given if verdict in DECIDED]
    return Measured(
        dataset=dataset,
        n=len(given),
        balanced_accuracy=round(balanced_accuracy(given), 3),
        kappa=round(kappa(given), 3),
        decided=round(len(right) / len(given), 3) if given else 0.0,
        precision=round(sum(right) / len(right), 3) if right else None,
        measured_on=f"claim and evidence as given, without a graph, {datetime.now(UTC):%Y-%m-%d}",
    )


def balanced_accuracy(given: list[tuple[Verdict, Verdict]]) -> float:
    """Mean recall over the labels that occur; pairs are (label, verdict)."""
    recalls = []
    for label in LABELS:
        verdicts = [verdict for expected, verdict in given if expected == label]
        recalls += [verdicts.count(label) / len(verdicts)] if verdicts else []
    return sum(recalls) / len(recalls) if recalls else 0.0


def kappa(given: list[tuple[Verdict, Verdict]]) -> float:
    """Cohen's kappa, (po - pe) / (1 - pe); 0 where chance agreement pe is complete."""
    n = len(given)
    expected, verdicts = [label for label, _ in given], [verdict for _, verdict in given]
    agreed = sum(label == verdict for label, verdict in given)
    chance = sum(expected.count(label) * verdicts.count(label) for label in LABELS)
    return (agreed * n - chance) / (n * n - chance) if n * n > chance else 0.0


def main(data: Path, out: Path) -> None:
    """Measure the judge by rules on the three sets and write its figures, those on linked concepts first."""
    judge, citations = RuleJudge(), data / "citation_integrity"
    sets: dict[str, Iterable[Pair]] = {
        "BioRED Dev, signed relations as claims about annotated concepts": biored(data / "biored" / "Dev.PubTator"),
        "HealthVer dev, held-out questions, no concepts": filter(
            held_out, healthver(data / "healthver" / "healthver_dev.csv")
        ),
        "Citation-Integrity dev, held-out claims, no concepts": filter(
            held_out, citation_integrity(citations / "claims_dev.jsonl", citations / "corpus.jsonl")
        ),
    }
    figures = [measured(judge, pairs, name).to_dict() for name, pairs in sets.items()]
    out.write_text(json.dumps({judge.name: figures}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
