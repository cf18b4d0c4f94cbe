"""The watched statements under HOME: judge them again when their evidence has changed, and report what changed.

The verdicts follow from the claims of the statement and the evidence on them. Gathering claims and evidence is cheaper
than judging: it parses only the statement, and asks no judge. The digest of claims and evidence
(`knowhd.check.Gathered.digest`) tells whether new verdicts can differ. The risk follows from the graph alone, and is
measured each time.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from time import time
from typing import Any

from fuzzygraph.risk_report import RiskReport
from groundwork.errors import InputError, ModelFaltered, ModelTooSlow, StoreBusy, TruthHypoError, UnfitText
from groundwork.files import held
from groundwork.manifest import Fault
from groundwork.ports import Progress, Silent, watched
from groundwork.readable import statement
from groundwork.records import Record
from groundwork.records.release import fingerprint
from groundwork.settings import Settings
from knowhd.gather import EVERY
from knowhd.ground_report import GroundReport
from truthhypo.provenance import judging_files, program
from truthhypo.service.database import Database
from truthhypo.world import World

_SCHEMA = """
CREATE TABLE IF NOT EXISTS statements (
    id TEXT PRIMARY KEY, text TEXT UNIQUE NOT NULL, added REAL NOT NULL,
    state TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '',
    latest TEXT, reported TEXT, error TEXT, judged INTEGER NOT NULL DEFAULT 0
);
"""


class UnknownStatement(InputError):
    """No watched statement has this id.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(
            f"no watched statement has the id {id!r}", "the id of a watched statement", "see: truthhypo watch list"
        )


@dataclass(frozen=True, slots=True)
class Statement(Record):
    """A watched statement.

    Attributes:
        id: Id of the statement.
        text: Text of the statement.
        latest: Its last judgement (`rejudging.Standing` as JSON values); None before the first judgement.
        reported: Its judgement in the last report; None if no report had a judgement of it.
        error: Why its last judgement failed, with the keys seen, wanted and remedy; None if it did not fail.
        state: The state of stores and settings for which `latest` is valid (`rejudging.state_of`); empty if unknown.
        digest: The digest of the evidence and paths of `latest` (`rejudging.Rejudgement.digest`); empty if unknown.
        judged: Whether it was judged since the last report.
    """

    id: str
    text: str
    latest: Mapping[str, Any] | None
    reported: Mapping[str, Any] | None
    error: Mapping[str, str] | None
    state: str
    digest: str
    judged: bool


class WatchList:
    """The watched statements under HOME. Any thread and any process may use it.

    Args:
        settings: Settings with HOME.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home / "watch"
        self._database = Database(self._folder / "statements.sqlite", _SCHEMA, "watched statements")

    def add(self, text: str) -> Statement:
        """Watch a statement. A text that is watched already is not added again.

        Raises:
            UnfitText: The text cannot be judged.
            StoreUnreachable: HOME cannot be written.
        """
        text = statement(text).strip()
        with self._database.transaction() as database:
            row = (secrets.token_hex(6), text, time())
            database.execute("INSERT OR IGNORE INTO statements (id, text, added) VALUES (?, ?, ?)", row)
            return self._statement(database.execute("SELECT * FROM statements WHERE text = ?", (text,)).fetchone())

    def all(self) -> tuple[Statement, ...]:
        """Return the statements in the order in which they were added."""
        with self._database.reading() as database:
            return tuple(map(self._statement, database.execute("SELECT * FROM statements ORDER BY added, rowid")))

    def remove(self, id: str) -> None:
        """Stop watching a statement.

        Raises:
            UnknownStatement: No statement has this id.
        """
        with self._database.transaction() as database:
            if not database.execute("DELETE FROM statements WHERE id = ?", (id,)).rowcount:
                raise UnknownStatement(id)

    def keep(self, id: str, state: str, digest: str, judgement: Mapping[str, Any]) -> None:
        """Keep a new judgement of a statement."""
        self._change(
            "state = ?, digest = ?, latest = ?, error = NULL, judged = 1", (state, digest, json.dumps(judgement)), id
        )

    def confirm(self, id: str, state: str) -> None:
        """Record that the last judgement of a statement is also valid in another state of stores and settings."""
        self._change("state = ?, error = NULL", (state,), id)

    def fail(self, id: str, error: Mapping[str, str]) -> None:
        """Record why a statement could not be judged. Its last judgement stays, and the next run judges it again."""
        self._change("state = '', digest = '', error = ?", (json.dumps(error),), id)

    def settle(self, ids: Iterable[str]) -> None:
        """Record that the last judgements of these statements were reported."""
        with self._database.transaction() as database:
            rows = ((each,) for each in ids)
            database.executemany("UPDATE statements SET reported = latest, judged = 0 WHERE id = ?", rows)

    def faults(self) -> Iterator[Fault]:
        """Yield the damage of the file, after reading it completely."""
        return self._database.faults()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Lock the list for a run.

        Raises:
            StoreBusy: Another run has locked the list.
        """
        self._database.open()
        busy = StoreBusy(
            "another run judges the watched statements", "one run at a time", "try again when it has ended"
        )
        with held(self._folder / "lock", busy):
            yield

    def _change(self, values: str, given: tuple[str, ...], id: str) -> None:
        with self._database.transaction() as database:
            database.execute(f"UPDATE statements SET {values} WHERE id = ?", (*given, id))  # noqa: S608 - our own words

    def _statement(self, row: sqlite3.Row) -> Statement:
        latest, reported, error = (
            self._database.value(row[name]) if row[name] else None for name in ("latest", "reported", "error")
        )
        return Statement(
            row["id"], row["text"], latest, reported, error, row["state"], row["digest"], bool(row["judged"])
        )


#: The settings on which verdicts and risks depend.
_SETTINGS = (
    *("model", "judge", "reader", "reader_threshold", "medv1_prompt", "marks", "evidence_tokens"),
    *("species", "syst", "rand", "k1", "b"),
)
#: Decimals to which a risk is rounded. Sums of path probabilities may differ in the last digits after each load.
_RISK_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Standing(Record):
    """The verdicts and the risk of a statement at one time.

    Attributes:
        claims: Text and verdicts of each claim.
        risks: Text, status, hrs and strength of each claim in the risk report.
        hrs: Hallucination risk of the statement, in [0, 1]; None if nothing was measured.
        strength: Strength of the evidence behind hrs; None if nothing was measured.
        flags: `thin` if little evidence was measured.
        model: Name of the judge.
        release: The live releases, each as `SOURCE:ID`, sorted.
        pmids: The articles of the evidence and of the paths, ascending.
    """

    claims: tuple[dict[str, Any], ...]
    risks: tuple[dict[str, Any], ...]
    hrs: float | None
    strength: float | None
    flags: tuple[str, ...]
    model: str
    release: tuple[str, ...]
    pmids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rejudgement(Record):
    """The outcome of `rejudge` for one statement.

    Attributes:
        state: The state of stores and settings; see `state_of`.
        digest: The digests of the evidence and of the paths, with a space between them.
        judgement: The new judgement (`Standing` as JSON values); None if evidence and paths are the same as for the
            last judgement, which then still holds.
    """

    state: str
    digest: str
    judgement: Mapping[str, Any] | None


def state_of(world: World) -> str:
    """Return a hash of the live releases, the program and the settings that a judgement depends on.

    The hash is empty if the releases do not tell the content of the stores, for instance during a load.
    """
    graph, literature = fingerprint(world.graph_store.releases()), fingerprint(world.literature_store.releases())
    literature = literature or ("" if world.literature_store.info().documents else "none")
    return _hashed([graph, literature, _program_and_settings(world)]) if graph and literature else ""


def rejudge(world: World, statement: Statement) -> Rejudgement:
    """Judge a statement, unless its evidence and its paths are the same as for its last judgement.

    If only the paths have changed, the new judgement has a new risk and the verdicts of the last judgement.

    Raises:
        ModelFaltered: A call of the language model got no reply.
    """
    state = state_of(world)  # read first: if a load ends meanwhile, the next run judges again
    checker = world.checker()
    found = checker.gathered(statement.text)
    risk = world.risk(statement.text, words=False)
    evidence, paths = _hashed([_program_and_settings(world), found.digest(world.graph_store)]), _hashed(_measured(risk))
    digest, known = f"{evidence} {paths}", statement.digest.partition(" ")[0]
    if digest == statement.digest:
        return Rejudgement(state, digest, None)
    if statement.latest and evidence == known:
        claims, model = tuple(statement.latest["claims"]), statement.latest["model"]
    else:
        claims, model = _verdicts(checker.judged(found))
    risks = tuple(
        {"text": each.text, "status": each.status, "hrs": _round(each.hrs), "strength": _round(each.strength)}
        for each in risk.sentences
    )
    pmids = tuple(sorted(found.pmids | _on_paths(world, risk)))
    hrs, strength = _round(risk.hrs), _round(risk.strength)
    standing = Standing(claims, risks, hrs, strength, risk.flags, model, found.release, pmids)
    return Rejudgement(state, digest, standing.to_dict())


def _verdicts(report: GroundReport) -> tuple[tuple[dict[str, Any], ...], str]:
    """Return the claims with their verdicts, and the name of the judge."""
    if unanswered := next((claim for claim in report.claims if "unanswered" in claim.flags), None):
        raise ModelFaltered(unanswered.reason, "a reply of the model", "run it again to repeat the call")
    return tuple({"text": claim.text, "verdicts": dict(claim.verdicts)} for claim in report.claims), report.model


def _measured(risk: RiskReport) -> list[Any]:
    """Return what was measured for each claim: its subject and object, and the aggregates and number of its paths."""
    return [
        [
            [each.text, each.triple.to_dict() if each.triple else None, each.subject.key, each.object.key, each.status],
            [each.flags, each.paths_total],
            [
                _round(value)
                for part in (each.support, each.contradiction, each.unsigned)
                for value in part.to_dict().values()
            ],
        ]
        for each in risk.sentences
    ]


def _on_paths(world: World, risk: RiskReport) -> frozenset[int]:
    """Return the articles of the edges on the paths that a risk report lists."""
    steps = {frozenset(step) for each in risk.sentences for path in each.paths for step in pairwise(path.keys)}
    keys = sorted({key for step in steps for key in step})
    edges = world.graph_store.edges(keys, pmids=EVERY, without=world.uncounted()) if keys else ()
    return frozenset(pmid for edge in edges if frozenset((edge.head, edge.tail)) in steps for pmid in edge.pmids)


def _program_and_settings(world: World) -> list[Any]:
    """Return the program and the settings that a judgement depends on, with the SHA-256 of the user's files."""
    held = world.settings
    return [program(), *judging_files(held).values(), *(str(getattr(held, name)) for name in _SETTINGS)]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _RISK_DECIMALS)


def _hashed(shape: object) -> str:
    return sha256(json.dumps(shape).encode("utf-8", "surrogatepass")).hexdigest()


#: Decimals of a risk that people are shown. A smaller difference does not count as a change.
_SHOWN_DECIMALS = 3


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
    def of(cls, statement: Statement) -> StatementReport:
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
        [(text, status, None if hrs is None else round(hrs, _SHOWN_DECIMALS)) for text, status, hrs in risks],
    ]


def _without_articles(judgement: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a judgement without its articles, because there may be thousands of them."""
    return judgement and {name: value for name, value in judgement.items() if name != "pmids"}
