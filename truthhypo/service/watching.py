"""Judge the watched statements again, and report what has changed since the last report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groundwork.errors import ModelFaltered, ModelTooSlow, TruthHypoError, UnfitText
from groundwork.ports import Progress, Silent, watched
from groundwork.records import Record
from truthhypo.service.rejudging import Rejudgement
from truthhypo.service.watchlist import Statement, WatchList

#: Decimals of a risk that people are shown. A smaller difference does not count as a change.
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class StatementReport(Record):
    """What happened to a watched statement since the last report.

    Attributes:
        id: Id of the statement.
        text: Text of the statement.
        changed: Whether its verdicts or its HRS (to 3 decimals) differ from those in the last report. False if no
            report had a judgement of it before.
        judged: Whether it was judged since the last report. If not, its evidence is the same, or `error` is set.
        before: The judgement in the last report (`rejudging.Standing` without the PMIDs); None if there is none.
        after: The judgement now; None if there is none.
        pmids_added: Articles of the evidence that are new since the last report; empty if `before` is None.
        pmids_removed: Articles that are no longer among the evidence. They may still be loaded: articles that match
            better can take their places.
        error: Why the statement could not be judged, with the keys seen, wanted and remedy; None if it could be judged.
    """

    id: str
    text: str
    changed: bool
    judged: bool
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    pmids_added: tuple[int, ...]
    pmids_removed: tuple[int, ...]
    error: Mapping[str, str] | None = None

    @classmethod
    def of(cls, statement: Statement) -> "StatementReport":
        """Return the report on a statement."""
        before, after = statement.reported, statement.latest
        held, now = (set(each["pmids"]) if each else set() for each in (before, after))
        changed = before is not None and after is not None and _decisive(before) != _decisive(after)
        return cls(
            statement.id,
            statement.text,
            changed,
            statement.judged,
            _without_articles(before),
            _without_articles(after),
            tuple(sorted(now - held)) if before else (),
            tuple(sorted(held - now)) if before else (),
            statement.error,
        )


@dataclass(frozen=True, slots=True)
class WatchReport(Record):
    """The report of a run over the watched statements.

    Attributes:
        statements: All statements: first those whose verdicts or risk have changed, then those that failed, then those
            that were judged again, then all others.
        judged: Number of statements that were judged since the last report.
        skipped: Number of statements whose evidence is the same.
        failed: Number of statements that could not be judged. They are in neither of the other counts.
    """

    statements: tuple[StatementReport, ...]
    judged: int
    skipped: int
    failed: int


def rerun(
    watchlist: WatchList,
    state: str,
    rejudge: Callable[[Statement], Rejudgement],
    progress: Progress | None = None,
) -> WatchReport:
    """Judge watched statements again if their evidence has changed. Call this within `WatchList.running`.

    Each judgement is kept at once. If the run is killed, the next run continues after the last judgement. The
    report compares each statement with its judgement at the last call of `WatchList.settle`.

    Args:
        watchlist: The statements.
        state: The state of stores and settings (`rejudging.state_of`). Statements judged in this state are skipped
            without looking at their evidence. Empty if the state is unknown.
        rejudge: Function that judges a statement, unless its evidence is the same (`rejudging.rejudge`).
        progress: Receives each statement.

    Raises:
        TruthHypoError: An error that would affect every statement, for instance an unreachable store.
    """
    for each in watched(watchlist.all(), progress or Silent(), "judging", "statements"):
        if state and each.state == state:
            continue
        try:
            found = rejudge(each)
        except (UnfitText, ModelFaltered, ModelTooSlow) as error:
            watchlist.fail(each.id, {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy})
        except TruthHypoError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug ends one statement, not all
            seen = f"an internal error: {type(error).__name__}: {error}"
            remedy = "judge this statement alone with --debug, and report the output"
            watchlist.fail(each.id, {"seen": seen, "wanted": "no internal error", "remedy": remedy})
        else:
            if found.judgement is None:
                watchlist.confirm(each.id, found.state)
            else:
                watchlist.keep(each.id, found.state, found.digest, found.judgement)
    return reported(watchlist)


def reported(watchlist: WatchList) -> WatchReport:
    """Return the report on all statements: what has changed in their judgements since the last report."""
    found = [StatementReport.of(each) for each in watchlist.all()]
    found.sort(key=lambda each: (not each.changed, each.error is None, not each.judged))
    failed = sum(each.error is not None for each in found)
    judged = sum(each.judged and each.error is None for each in found)
    return WatchReport(tuple(found), judged, len(found) - judged - failed, failed)


def _decisive(judgement: Mapping[str, Any]) -> list[Any]:
    """Return the parts of a judgement whose changes are reported."""
    risks = [(each["text"], each["status"], each["hrs"]) for each in judgement["risks"]]
    return [
        judgement["claims"],
        [(text, status, None if hrs is None else round(hrs, _DECIMALS)) for text, status, hrs in risks],
    ]


def _without_articles(judgement: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a judgement without its articles, because there may be thousands of them."""
    return judgement and {name: value for name, value in judgement.items() if name != "pmids"}
