"""Measure a judge on labelled pairs of claim and evidence. Reports print the results beside groundedness.

    python -m truthhypo.bench.judge_calibration DATA OUT.json [WEIGHTS.onnx]

measures the rule-based judge on the datasets in DATA (folders biored, healthver, citation_integrity) and writes the
results that ship with `knowhd.calibration`. The judge is measured on BioRED Dev, which no fit of the encoder
sees. Without WEIGHTS, those that ship with the program are measured.
"""

import json
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groundwork.reading.encoder import connect
from groundwork.statistics import (
    Interval,
    balanced_accuracy,
    calibration_error,
    cohen_kappa,
    macro_f1,
    percentile_interval,
    resample_counts,
)
from knowhd.calibration import JudgeFigures, PurgedFigures
from knowhd.judge import CONTRARY, VERDICTS, Judge, Judgement, Stance, Verdict
from knowhd.rules_judge import NAME, RuleJudge
from truthhypo.bench.labelled import LABELS, Pair, evidence_of
from truthhypo.bench.labelled import read_pairs as load_pairs

Array = NDArray[np.float64]
#: Pairs of a gold label and a judge's verdict.
Pairs = Sequence[tuple[Verdict, Verdict]]
DECIDED = LABELS[:2]
_STANCES: dict[Verdict, Stance] = {"supported": "supports", "contradicted": "contradicts"}
#: A judge counts as constant if it gives one verdict on more than this share of the pairs.
CONSTANT = 0.95


def confusion_matrix(pairs: Pairs) -> Array:
    """Return the number of pairs by label and verdict, shape (labels, verdicts)."""
    table: Array = _by_group(pairs, [0] * len(pairs))[0]
    return table


def resampled(pairs: Pairs, groups: Sequence[Hashable]) -> Array:
    """Return the confusion matrices of resamples of whole groups, shape (resamples, labels, verdicts).

    Args:
        pairs: Labels and verdicts, at least one.
        groups: The group of each pair. Pairs of one group are not independent, so groups are resampled as a whole.
    """
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    tables = _by_group(pairs, [numbers[group] for group in groups])
    found: Array = np.tensordot(resample_counts(np.ones(len(tables))), tables, axes=1)
    return found


def _by_group(pairs: Pairs, groups: Sequence[int]) -> Array:
    """Return one confusion matrix per group. Groups are numbered from 0."""
    tables = np.zeros((max(groups, default=0) + 1, len(LABELS), len(VERDICTS)))
    for (label, verdict), group in zip(pairs, groups, strict=True):
        tables[group, LABELS.index(label), VERDICTS.index(verdict)] += 1
    return tables


def measured(
    judge: Judge,
    pairs: Iterable[Pair],
    dataset: str,
    *,
    against: Iterable[Pair] = (),
    seen: Callable[[int], None] = lambda _done: None,
) -> JudgeFigures:
    """Measure a judge on pairs, by its verdicts from the literature. A failed verdict counts as wrong.

    Args:
        judge: The judge.
        pairs: The pairs.
        dataset: Description of the set.
        against: Another split, for instance the split on which the judge was developed. The result
            then also has measures without the pairs that share evidence or a question with this split.
        seen: Receives the number of judged pairs.
    """
    cases, judged = list(pairs), []
    for done, pair in enumerate(cases, start=1):
        judged.append(judge.judge_all([(pair.claim, pair.evidence)])[0]["literature"])
        seen(done)
    return figures_of(cases, judged, dataset, list(against))


def figures_of(
    cases: Sequence[Pair], judged: Sequence[Judgement], dataset: str, against: Sequence[Pair] = ()
) -> JudgeFigures:
    """Compute the measures of a judge from its judgements on at least one pair; see `measured`."""
    given = [(pair.label, judgement.verdict) for pair, judgement in zip(cases, judged, strict=True)]
    right = [label == verdict for label, verdict in given if verdict in DECIDED]
    table, drawn = confusion_matrix(given), resampled(given, [pair.group for pair in cases])
    sure = [
        (p, j.verdict == pair.label) for pair, j in zip(cases, judged, strict=True) if (p := confidence(j)) is not None
    ]
    ece = calibration_error([p for p, _ in sure], [hit for _, hit in sure])
    shares = table.sum(axis=0) / table.sum()
    return JudgeFigures(
        dataset=dataset,
        n=len(given),
        balanced_accuracy=_figure(balanced_accuracy, table),
        kappa=_figure(cohen_kappa, table),
        decided=round(len(right) / len(given), 3),
        precision=round(sum(right) / len(right), 3) if right else None,
        measured_on=f"claim and evidence as given, without a graph, {datetime.now(UTC):%Y-%m-%d}",
        macro_f1=_figure(macro_f1, table),
        balanced_accuracy_interval=_interval(balanced_accuracy, drawn),
        macro_f1_interval=_interval(macro_f1, drawn),
        kappa_interval=_interval(cohen_kappa, drawn),
        ece=None if ece is None else round(ece, 3),
        ece_n=len(sure),
        confusion={
            label: {verdict: int(count) for verdict, count in zip(VERDICTS, row, strict=True)}
            for label, row in zip(LABELS, table, strict=True)
        },
        failed=int(table[:, VERDICTS.index("failed")].sum()),
        constant=VERDICTS[int(shares.argmax())] if shares.max() > CONSTANT else None,
        purged=_purged(cases, given, against),
    )


def confidence(judgement: Judgement) -> float | None:
    """Return the probability of a verdict from the probabilities of the pieces of evidence; None without probabilities.

    For supported and contradicted it is the highest probability of this stance among the pieces that have this stance;
    None if no piece has it. For other verdicts it is 1 minus the highest probability that a piece supports or
    contradicts the claim.
    """
    if not judgement.probabilities:
        return None
    stance = _STANCES.get(judgement.verdict)
    if stance is None:
        sides = [sum(each.get(side, 0.0) for side in CONTRARY) for each in judgement.probabilities.values()]
        return max(0.0, 1 - max(sides))
    own = [p[stance] for piece, p in judgement.probabilities.items() if judgement.stances.get(piece) == stance]
    return max(own, default=None)


def _figure(figure: Callable[[Array], Array], table: Array) -> float:
    return round(float(figure(table)), 3)


def _interval(figure: Callable[[Array], Array], drawn: Array) -> Interval:
    """Return the 95 % interval of the measure `figure`, from the confusion matrices of resamples."""
    low, high = percentile_interval(figure(drawn)) or (0.0, 1.0)
    return round(low, 3), round(high, 3)


def _purged(
    cases: Sequence[Pair], given: Sequence[tuple[Verdict, Verdict]], against: Sequence[Pair]
) -> tuple[PurgedFigures, ...]:
    """Return the measures without the pairs that overlap with another split."""
    if not against:
        return ()
    texts, groups = {evidence_of(pair) for pair in against}, {pair.group for pair in against}
    shared = [(evidence_of(pair) in texts, pair.group in groups) for pair in cases]
    kinds: dict[str, Callable[[tuple[bool, bool]], bool]] = {
        "evidence": lambda both: both[0],
        "questions": lambda both: both[1],
        "evidence or questions": any,
    }
    found = []
    for name, drop in kinds.items():
        left = [n for n, both in enumerate(shared) if not drop(both)]
        rest = [given[n] for n in left]
        if not rest:
            found.append(PurgedFigures(name, 0, None, None, None, None))
            continue
        table, drawn = confusion_matrix(rest), resampled(rest, [cases[n].group for n in left])
        found.append(
            PurgedFigures(
                name,
                len(rest),
                _figure(balanced_accuracy, table),
                _figure(macro_f1, table),
                _figure(cohen_kappa, table),
                _interval(cohen_kappa, drawn),
            )
        )
    return tuple(found)


def main(data: Path, out: Path, weights: str = "") -> None:
    """Measure the rule-based judge on the three datasets, and write its results, those on BioRED first."""
    judge = RuleJudge(connect(weights))
    sets = {
        "BioRED Dev, signed relations as claims about annotated concepts": data / "biored" / "Dev.PubTator",
        "HealthVer dev, no concepts": data / "healthver",
        "Citation-Integrity dev, no concepts": data / "citation_integrity",
    }
    figures = [measured(judge, load_pairs(place), name).to_dict() for name, place in sets.items()]
    out.write_text(json.dumps({NAME: figures}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
