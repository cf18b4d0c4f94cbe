"""What a study came to: who chose which, how far annotators agree, the tests of Table 4 in both forms; study.json."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.statistics.classification import Array, cohen_kappa
from groundwork.statistics.intervals import percentile_interval, resample_counts, wilson
from groundwork.statistics.significance import SignificanceTest, preferred, wilcoxon
from truthhypo.bench.runs import put
from truthhypo.bench.study.ballots import VOTES, Ballot, Kind, models, people, together
from truthhypo.bench.study.folder import SHEETS, Side, Study

FILE, FORMAT = "study.json", 1


@dataclass(frozen=True, slots=True)
class AnnotatorResult(Record):
    """One annotator's choices.

    Attributes:
        name: Whose.
        kind: `person`, `model`, or `people` for those pairs on which all people say the same.
        high: Pairs in which the better grounded hypothesis was chosen.
        low: In which the other was.
        ties: Undecided; of a model: it went by the place and not by the hypothesis.
        missing: Pairs without a choice: not filled, not asked, or failed; of `people`: not of one mind.
        share: high / (high + low); None where nothing was decided.
        share_low: Of its 95 % interval (Wilson).
        share_high: Likewise.
        first: How often what stood first was chosen, of `first_of` choices; about half, if order does not matter.
        first_of: See `first`; 0 for `people`.
        paper: Table 4's test in the paper's form; None where nothing was decided.
        sound: In the sound form.
        right: Pairs in which the chosen hypothesis is the only right one of the two, of `right_of`.
        right_of: Decided pairs with one right hypothesis, by the set's gold.
    """

    name: str
    kind: Kind
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
    """Two annotators over the pairs on which both said something; a tie is a choice of its own.

    Attributes:
        first: The one.
        second: The other.
        n: Those pairs.
        same: Of them, those with the same choice.
        share: same / n; None for n = 0.
        low: Of its 95 % interval (Wilson).
        high: Likewise.
        kappa: Cohen's, at most 1; None where chance agreement is complete or there is no pair.
        kappa_low: Of its 95 % interval (percentile bootstrap over pairs); None where kappa is, and for an annotator
            with one choice alone.
        kappa_high: Likewise.
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
    """A study, counted.

    Attributes:
        study: Whose hypotheses, the pairs' number, gap, seed and so on.
        groundedness: Mean of the better and of the worse grounded, in [0, 1].
        circular: The paper's Wilcoxon test on groundedness: pairs were chosen for their gap, so it proves nothing.
        annotators: People first, then models; `people` where there are several.
        agreement: All pairs of annotators.
        truth: Pairs in which one hypothesis alone is right by the gold, and in how many it is the better grounded,
            tested in the sound form (None without such a pair).
        format: Of this file.
    """

    study: Mapping[str, Any]
    groundedness: Mapping[str, float]
    circular: SignificanceTest
    annotators: tuple[AnnotatorResult, ...]
    agreement: tuple[Agreement, ...]
    truth: Mapping[str, Any]
    format: int = FORMAT


def score(study: Study, folder: Path, *, partial: bool = False) -> Results:
    """Count what came back, and write study.json.

    Args:
        study: The study.
        folder: Its folder.
        partial: Count sheets that are begun and not finished.

    Raises:
        InputError: A sheet at fault or not finished, records of another study, nothing filled at all.
    """
    ballots = [*people(study, folder, partial), *models(study, folder)]
    if not ballots:
        seen = f"no sheet in {folder / SHEETS} is filled, and no model was asked"
        raise InputError(seen, "choices", "have the sheets filled, or ask a model: bench study annotate")
    found = count(study, ballots)
    try:
        put(folder / FILE, json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}", "a folder to write to", "check the path") from None
    return found


def count(study: Study, ballots: Sequence[Ballot]) -> Results:
    """The results of votes.

    Args:
        study: The study.
        ballots: At least one.
    """
    high, low = ([getattr(one.pair, side).groundedness for one in study.shown] for side in ("high", "low"))
    persons = [ballot for ballot in ballots if ballot.kind == "person"]
    counted = [*persons, *([together(persons)] if len(persons) > 1 else []), *ballots[len(persons) :]]
    right = _right(study)
    circular = wilcoxon(high, low, "larger")
    head = {name: value for name, value in study.to_dict().items() if name not in {"shown", "format"}}
    return Results(
        study={**head, "pairs": len(study.shown), "same_relation": _same_relation(study)},
        groundedness={"high": float(np.mean(high)), "low": float(np.mean(low))},
        circular=replace(circular, test=f"{circular.test} (paper; circular: pairs were chosen for their gap)"),
        annotators=tuple(_annotated(ballot, len(study.shown), right) for ballot in counted),
        agreement=tuple(agreement(a, b) for a, b in combinations(ballots, 2)),
        truth=_truth(right),
    )


def agreement(a: Ballot, b: Ballot) -> Agreement:
    """How far two annotators agree, in terms of which hypothesis was chosen, wherever it stood."""
    both = [pair for pair in a.votes if pair in b.votes]
    n, same = len(both), sum(a.votes[pair] == b.votes[pair] for pair in both)
    low, high = wilson(same, n) or (None, None)
    there = [vote for vote in VOTES if any(vote in {a.votes[pair], b.votes[pair]} for pair in both)]
    kappa: tuple[float | None, float | None, float | None] = (None, None, None)
    if len(there) > 1:  # with one choice alone chance agreement is complete
        table = np.zeros((len(there), len(there)))
        for pair in both:
            table[there.index(a.votes[pair]), there.index(b.votes[pair])] += 1
        kappa = _kappa(table)
    return Agreement(a.name, b.name, n, same, same / n if n else None, low, high, *kappa)


def _kappa(table: Array) -> tuple[float, float | None, float | None]:
    """Cohen's kappa and its interval; no interval for an annotator with one choice alone, whose kappa is always 0."""
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
        kind=ballot.kind,
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
    """Pair -> which of the two is right by the gold, where only one is."""
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
