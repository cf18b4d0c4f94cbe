"""The results of a study, stored in study.json: choices, agreement, and two forms of the paper's test (Table 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.statistics.classification import Array, cohen_kappa
from groundwork.statistics.intervals import percentile_interval, resample_counts, wilson
from groundwork.statistics.significance import SignificanceTest, preferred, wilcoxon
from truthhypo.bench.study.ballots import VOTES, Ballot, ballots, together
from truthhypo.bench.study.folder import SHEETS, Side, Study
from truthhypo.json_file import write_json

FILE = "study.json"


@dataclass(frozen=True, slots=True)
class AnnotatorResult(Record):
    """The choices of one annotator.

    Attributes:
        name: Name of the annotator.
        high: Number of pairs in which the better grounded hypothesis was chosen.
        low: Number of pairs in which the other hypothesis was chosen.
        ties: Number of undecided pairs.
        missing: Number of pairs without a choice. For all annotators together: number of pairs on which they disagree.
        share: high / (high + low); None if no pair was decided.
        share_low: Lower bound of the 95 % interval of `share` (Wilson).
        share_high: Upper bound of the same interval.
        first: Number of times that the hypothesis in the first position was chosen. If the order has no effect, it is
            about half of `first_of`. It is 0 for all annotators together.
        first_of: Number of choices that are no ties; 0 for all annotators together.
        paper: The test of Table 4 as in the paper; None if no pair was decided.
        sound: The test of Table 4 in a statistically valid form; None if no pair was decided.
        right: Number of pairs, among `right_of`, in which the correct hypothesis was chosen.
        right_of: Number of decided pairs with exactly one correct hypothesis by the gold label.
    """

    name: str
    high: int
    low: int
    ties: int
    missing: int
    share: float | None
    share_low: float | None
    share_high: float | None
    first: int
    first_of: int
    paper: SignificanceTest | None
    sound: SignificanceTest | None
    right: int
    right_of: int


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    """Agreement of two annotators on the pairs that both judged. A tie counts as a choice.

    Attributes:
        first: The first annotator.
        second: The second annotator.
        n: Number of pairs that both annotators judged.
        same: Number of pairs with the same choice.
        share: same / n; None for n = 0.
        low: Lower bound of the 95 % interval of `share` (Wilson).
        high: Upper bound of the same interval.
        kappa: Cohen's kappa, at most 1; None if chance agreement is complete or there is no pair.
        kappa_low: Lower bound of the 95 % interval of `kappa` (percentile bootstrap over pairs). None if kappa is None,
            or if one annotator always made the same choice.
        kappa_high: Upper bound of the same interval.
    """

    first: str
    second: str
    n: int
    same: int
    share: float | None
    low: float | None
    high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None


@dataclass(frozen=True, slots=True)
class Results(Record):
    """The results of a study.

    Attributes:
        study: Description of the study: source of the hypotheses, number of pairs, gap, seed and so on.
        groundedness: Mean groundedness of the better and of the worse grounded hypotheses, in [0, 1].
        circular: The paper's Wilcoxon test on groundedness. It proves nothing, because pairs were selected by their
            gap.
        annotators: Results of each annotator, then of all annotators together if there are several.
        agreement: Agreement of each pair of annotators.
        truth: Results on the pairs that have exactly one correct hypothesis by the gold label: `pairs` (number of such
            pairs), `high` (number of such pairs in which the correct hypothesis is better grounded) and `sound` (the
            statistically valid form of the test; None if there is no such pair).
        format: Version of the format of study.json.
    """

    study: Mapping[str, Any]
    groundedness: Mapping[str, float]
    circular: SignificanceTest
    annotators: tuple[AnnotatorResult, ...]
    agreement: tuple[Agreement, ...]
    truth: Mapping[str, Any]
    format: Literal[1] = 1


def score(study: Study, folder: Path) -> Results:
    """Count the choices and write study.json.

    Args:
        study: The study.
        folder: Folder of the study.

    Raises:
        InputError: A sheet has mistakes or is not finished, or there is no choice.
    """
    votes = ballots(study, folder)
    if not votes:
        raise InputError(f"no sheet in {folder / SHEETS} is filled", "choices", "have the sheets filled")
    found = count(study, votes)
    write_json(folder / FILE, found.to_dict())
    return found


def count(study: Study, people: Sequence[Ballot]) -> Results:
    """Compute the results of a study from its votes.

    Args:
        study: The study.
        people: The votes of at least one annotator.
    """
    high, low = ([getattr(one.pair, side).groundedness for one in study.shown] for side in ("high", "low"))
    counted = [*people, together(people)] if len(people) > 1 else people
    right = _right(study)
    circular = wilcoxon(high, low, "larger")
    head = {name: value for name, value in study.to_dict().items() if name not in {"shown", "format"}}
    return Results(
        study={**head, "pairs": len(study.shown), "same_relation": _same_relation(study)},
        groundedness={"high": float(np.mean(high)), "low": float(np.mean(low))},
        circular=replace(circular, test=f"{circular.test} (paper; circular: pairs were selected by their gap)"),
        annotators=tuple(_annotated(ballot, len(study.shown), right) for ballot in counted),
        agreement=tuple(agreement(a, b) for a, b in combinations(people, 2)),
        truth=_truth(right),
    )


def agreement(a: Ballot, b: Ballot) -> Agreement:
    """Return how often two annotators chose the same hypothesis, regardless of its position."""
    both = [pair for pair in a.votes if pair in b.votes]
    n, same = len(both), sum(a.votes[pair] == b.votes[pair] for pair in both)
    low, high = wilson(same, n) or (None, None)
    there = [vote for vote in VOTES if any(vote in {a.votes[pair], b.votes[pair]} for pair in both)]
    kappa: tuple[float | None, float | None, float | None] = (None, None, None)
    if len(there) > 1:  # with a single choice, chance agreement is complete
        table = np.zeros((len(there), len(there)))
        for pair in both:
            table[there.index(a.votes[pair]), there.index(b.votes[pair])] += 1
        kappa = _kappa(table)
    return Agreement(a.name, b.name, n, same, same / n if n else None, low, high, *kappa)


def _kappa(table: Array) -> tuple[float, float | None, float | None]:
    """Return Cohen's kappa and its interval. If an annotator made only one kind of choice, return 0 and no interval."""
    if 1 in {int((table.sum(axis=axis) > 0).sum()) for axis in (0, 1)}:
        return 0.0, None, None
    low, high = percentile_interval(cohen_kappa(resample_counts(table))) or (None, None)
    return float(cohen_kappa(table)), low, high


def _annotated(ballot: Ballot, pairs: int, right: Mapping[str, Side]) -> AnnotatorResult:
    held = Counter(ballot.votes.values())
    decided = held["high"] + held["low"]
    low, high = wilson(held["high"], decided) or (None, None)
    paper, sound = preferred(held["high"], decided) if decided else (None, None)
    told = [vote == right[pair] for pair, vote in ballot.votes.items() if vote != "tie" and pair in right]
    return AnnotatorResult(
        name=ballot.name,
        high=held["high"],
        low=held["low"],
        ties=held["tie"],
        missing=pairs - len(ballot.votes),
        share=held["high"] / decided if decided else None,
        share_low=low,
        share_high=high,
        first=ballot.first,
        first_of=ballot.first_of,
        paper=paper,
        sound=sound,
        right=sum(told),
        right_of=len(told),
    )


def _right(study: Study) -> dict[str, Side]:
    """Return the correct hypothesis of each pair, by the gold label.

    Pairs in which both hypotheses are correct, or neither, are left out.
    """
    found: dict[str, Side] = {}
    for one in study.shown:
        high, low = (each.relation == one.pair.gold for each in (one.pair.high, one.pair.low))
        if high != low:
            found[one.id] = "high" if high else "low"
    return found


def _truth(right: Mapping[str, Side]) -> dict[str, Any]:
    sides = list(right.values())
    tested = preferred(sides.count("high"), len(sides))[1] if sides else None
    return {"pairs": len(sides), "high": sides.count("high"), "sound": tested.to_dict() if tested else None}


def _same_relation(study: Study) -> int:
    return sum(one.pair.high.relation == one.pair.low.relation for one in study.shown)
