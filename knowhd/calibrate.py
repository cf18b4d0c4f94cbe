"""Measure a judge on labelled pairs of claim and evidence, for the figures printed beside groundedness.

    python -m knowhd.calibrate HEALTHVER.csv CLAIMS.jsonl CORPUS.jsonl OUT.json

measures the judge by rules on HealthVer and on Citation-Integrity and writes the figures that `calibration` reads.
The rules were looked at on the pairs of one half (`held_out` False) only; the figures are those of the other half.
HealthVer is split by question, since its pairs share evidence within one.
"""

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from groundwork.language import sentences
from knowhd.calibration import Measured
from knowhd.claims import Claim
from knowhd.evidence import Evidence, Passage
from knowhd.judge import Judge, Verdict
from knowhd.rules import RuleJudge

LABELS: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")
_HEALTHVER: dict[str, Verdict] = {"Supports": "supported", "Refutes": "contradicted", "Neutral": "not_enough"}
_CITATIONS: dict[str, Verdict] = {"SUPPORT": "supported", "REFUTE": "contradicted"}
_MARKER = re.compile(r"\[?<\|\w+\|>\]?")


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, the evidence beside it, the verdict people gave, and the group it must not be split from."""

    claim: str
    evidence: str
    label: Verdict
    group: str

    @property
    def held_out(self) -> bool:
        """Whether the pair belongs to the half that the rules were not looked at on."""
        return sha256(self.group.encode()).digest()[-1] % 2 == 1


def healthver(path: Path) -> Iterator[Pair]:
    """The pairs of a HealthVer CSV (columns claim, evidence, label, question)."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield Pair(row["claim"], row["evidence"], _HEALTHVER[row["label"]], row["question"])


def citation_integrity(claims: Path, corpus: Path) -> Iterator[Pair]:
    """The pairs of Citation-Integrity: a citing claim and the passages taken from the article it cites.

    A claim without labelled evidence is `not_enough`; markers of citations are cut from its text.
    """
    passages = {row["doc_id"]: " ".join(row["abstract"]) for row in _rows(corpus)}
    for row in _rows(claims):
        labels = [given["label"] for pieces in row["evidence"].values() for given in pieces]
        label = _CITATIONS[labels[0]] if labels else "not_enough"
        text = " ".join(_MARKER.sub("", row["claim"]).split())
        yield Pair(text, passages[row["cited_doc_ids"][0]], label, str(row["id"]))


def verdict_on(pair: Pair, judge: Judge) -> Verdict:
    """A judge's verdict on a pair, given as one claim and as passages of the literature, one a sentence."""
    passages = tuple(
        Passage(f"pmid:{number}#s0", number, "", sentence.text, 0.0, retracted=False)
        for number, sentence in enumerate(sentences(pair.evidence), start=1)
    )
    claim = Claim(pair.claim, pair.claim, (0, len(pair.claim)), ())
    return judge.judge(claim, Evidence((), passages))["literature"].verdict


def measured(judge: Judge, pairs: Iterable[Pair], dataset: str) -> Measured:
    """A judge's figures on pairs; a failed verdict counts as wrong."""
    given = [(pair.label, verdict_on(pair, judge)) for pair in pairs]
    return Measured(
        dataset,
        len(given),
        round(balanced_accuracy(given), 3),
        round(kappa(given), 3),
        round(sum(verdict in LABELS[:2] for _, verdict in given) / len(given), 3) if given else 0.0,
        f"claim and evidence as given, no graph, {datetime.now(UTC):%Y-%m-%d}",
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


def main(healthver_csv: str, claims: str, corpus: str, out: str) -> None:
    """Measure the judge by rules on both sets and write its figures."""
    judge = RuleJudge()
    sets = {
        "HealthVer dev, held-out questions": healthver(Path(healthver_csv)),
        "Citation-Integrity dev, held-out claims": citation_integrity(Path(claims), Path(corpus)),
    }
    figures = [measured(judge, (p for p in pairs if p.held_out), name).to_dict() for name, pairs in sets.items()]
    Path(out).write_text(json.dumps({judge.name: figures}, indent=2) + "\n", "utf-8")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


if __name__ == "__main__":
    main(*sys.argv[1:])
