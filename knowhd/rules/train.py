"""Fit the coefficients of `decision` on labelled pairs, the same ones every time.

    python -m knowhd.rules.train DATA OUT.json

reads HealthVer dev, Citation-Integrity dev and BioRED Train under DATA and writes `decision.json`. Each label counts
the same, and a pair the less the more of them its question has. The features were worked out on one half of the
questions and claims; figures are those of `crossed`: no pair is judged by coefficients that were fitted on its
question or on its evidence.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from knowhd.calibration.labelled import Pair, biored, citation_integrity, evidence_of, healthver
from knowhd.calibration.measures import LABELS
from knowhd.judge import Judgement, Verdict, weigh
from knowhd.rules.assertion import assertions_of
from knowhd.rules.decision import CLASSES, shipped, table_of
from knowhd.rules.features import NAMES, features
from knowhd.rules.judge import RuleJudge
from knowhd.rules.logistic import balanced, fit
from knowhd.rules.stances import stances_of
from knowhd.rules.subject import subject_of

#: Strength of the penalty, chosen among 10, 100, 300, 1000 and 3000, as the features were, by grouped cross-validation.
RIDGE = 1000.0
#: Folds of the cross-validation; a question lies in one.
FOLDS = 10
#: Every so many abstracts of BioRED Train, by PMID: the shares need no more.
_EVERY = 4


def rows(pairs: Iterable[Pair]) -> list[list[float]]:
    """The features of each pair, in the order of NAMES."""
    found = (features(p.claim.text, [passage.sentence for passage in p.evidence.literature]).values for p in pairs)
    return [[values[name] for name in NAMES] for values in found]


def named(pairs: Iterable[Pair]) -> list[bool]:
    """Whether the evidence of each pair names what its claim is about."""
    return [subject_of(pair.claim).named_by(pair.evidence.literature) for pair in pairs]


def table(x: Sequence[Sequence[float]], said: Sequence[bool], pairs: Sequence[Pair]) -> dict[str, Any]:
    """A table of coefficients, rounded to four places.

    Args:
        x: The features of some pairs, as `rows` gives them.
        said: Whether what each claim is about is named, as `named` gives it.
        pairs: The pairs, at least one.
    """
    given, labels = np.array(x, dtype=float), np.array([LABELS.index(pair.label) for pair in pairs])
    mean, scale = given.mean(axis=0), given.std(axis=0)
    scale[scale == 0] = 1.0
    sizes = Counter(pair.group for pair in pairs)
    weights = balanced(labels, len(CLASSES)) / np.sqrt([sizes[pair.group] for pair in pairs])
    found = fit((given - mean) / scale, labels, len(CLASSES), weights * len(pairs) / weights.sum(), RIDGE)
    columns = zip(NAMES, mean, scale, found.coefficients, strict=True)
    return {
        "common": {
            name: common(pair.label for pair, each in zip(pairs, said, strict=True) if each == which)
            for name, which in (("unnamed", False), ("named", True))
        },
        "intercepts": dict(zip(CLASSES, _rounded(found.intercepts), strict=True)),
        "features": {
            name: {
                "mean": round(float(m), 4),
                "scale": round(float(s), 4),
                **dict(zip(CLASSES, _rounded(c), strict=True)),
            }
            for name, m, s, c in columns
        },
    }


def common(labels: Iterable[Verdict]) -> dict[str, float]:
    """How common each class is among labels; half a label more of each, so that none is impossible."""
    counts = Counter(labels)
    whole = counts.total() + len(LABELS) / 2
    return {name: round((counts[label] + 0.5) / whole, 4) for name, label in zip(CLASSES, LABELS, strict=True)}


def crossed(pairs: Sequence[Pair], use: str) -> list[Judgement]:
    """The literature's judgement on each pair by coefficients fitted without its question and its evidence.

    Args:
        pairs: A whole set.
        use: Which table is fitted anew, `sentences` or `passages`.
    """
    x, said = rows(pairs), named(pairs)
    folds = [sha256(f"fold {pair.group}".encode()).digest()[0] % FOLDS for pair in pairs]
    judged: dict[int, Judgement] = {}
    for fold in range(FOLDS):
        inside = [n for n, given in enumerate(folds) if given == fold]
        texts = {evidence_of(pairs[n]) for n in inside}
        kept = [n for n, given in enumerate(folds) if given != fold and evidence_of(pairs[n]) not in texts]
        fitted = table_of(table([x[n] for n in kept], [said[n] for n in kept], [pairs[n] for n in kept]))
        judge = RuleJudge({**shipped(), use: fitted})
        judged |= {n: judge.judge(pairs[n].claim, pairs[n].evidence)["literature"] for n in inside}
    return [judged[n] for n in range(len(pairs))]


def right(pairs: Sequence[Pair], use: str) -> dict[str, float]:
    """How often each stance of `crossed` is the one that people took."""
    found: dict[str, float] = {}
    judged = crossed(pairs, use)
    for stance, label in zip(CLASSES, LABELS[:2], strict=False):
        labels = [pair.label for pair, judgement in zip(pairs, judged, strict=True) if judgement.verdict == label]
        found[stance] = round(labels.count(label) / max(1, len(labels)), 4)
    return found


def shares(pairs: Iterable[Pair]) -> dict[str, dict[str, float]]:
    """Of what is read between two concepts: how often people say so, by what was read."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in CLASSES}
    for pair in pairs:
        pieces = pair.evidence.literature
        verdict = weigh(pieces, stances_of(pieces, assertions_of(pair.claim)), "").verdict
        counts[CLASSES[LABELS.index(verdict)]][CLASSES[LABELS.index(pair.label)]] += 1
    return {
        read: {name: round(count[name] / max(1, count.total()), 4) for name in CLASSES[:2]}
        for read, count in counts.items()
    }


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(value), 4) for value in values]


def main(data: Path, out: Path) -> None:
    """Fit both tables and the shares, and write them."""
    citations = data / "citation_integrity"
    health = list(healthver(data / "healthver" / "healthver_dev.csv"))
    cited = list(citation_integrity(citations / "claims_dev.jsonl", citations / "corpus.jsonl"))
    read = [p for p in biored(data / "biored" / "Train.PubTator") if int(p.group) % _EVERY == 0]
    fitted = {
        use: {
            "trained_on": f"{name}, {len(pairs)} pairs",
            **table(rows(pairs), named(pairs), pairs),
            "right": right(pairs, use),
        }
        for use, name, pairs in (
            ("sentences", "HealthVer dev", health),
            ("passages", "Citation-Integrity dev", cited),
        )
    }
    out.write_text(json.dumps({**fitted, "reading": shares(read)}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
