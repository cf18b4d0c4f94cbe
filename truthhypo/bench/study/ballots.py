"""Read votes from the annotators' sheets. A vote names the hypothesis (`high` or `low`), not its position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from groundwork.errors import InputError
from truthhypo.bench.study import sheets
from truthhypo.bench.study.folder import SHEETS, Side, Study

Vote = Literal["high", "low", "tie"]
VOTES: tuple[Vote, ...] = ("high", "low", "tie")
#: Name that stands for all annotators together. Only the pairs on which they agree count.
AGREED = "all annotators agree"


@dataclass(frozen=True, slots=True)
class Ballot:
    """The votes of one annotator, by the id of the pair.

    Of the `first_of` choices that are no ties, `first` are for the hypothesis in the first position.
    """

    name: str
    votes: Mapping[str, Vote]
    first: int = 0
    first_of: int = 0


def ballots(study: Study, folder: Path) -> list[Ballot]:
    """Return the votes from all sheets with at least one choice.

    Args:
        study: The study.
        folder: Folder of the study.

    Raises:
        InputError: A sheet has mistakes, or was started and is not finished.
    """
    found = []
    for name in study.annotators:
        path = folder / SHEETS / f"{name}.csv"
        filled = sheets.read(path, [one.id for one in study.shown])
        if not filled.choices:
            continue  # not started
        if filled.unfilled:
            seen = f"{path}: {len(filled.unfilled)} of {len(study.shown)} pairs have no choice"
            raise InputError(seen, "a finished sheet", f"fill {', '.join(filled.unfilled[:5])} ...")
        votes = {one.id: _vote(filled.choices[one.id], one.first[name]) for one in study.shown}
        decided = [choice for choice in filled.choices.values() if choice != "tie"]
        found.append(Ballot(name, votes, decided.count("1"), len(decided)))
    return found


def _vote(choice: str, first: Side) -> Vote:
    if choice == "tie":
        return "tie"
    return first if choice == "1" else ("low" if first == "high" else "high")


def together(several: Sequence[Ballot]) -> Ballot:
    """Return a ballot with the votes on which all annotators agree."""
    first, *others = several
    votes = {pair: vote for pair, vote in first.votes.items() if all(each.votes.get(pair) == vote for each in others)}
    return Ballot(AGREED, votes)
