"""Judge a watched statement again, but only if its evidence has changed.

The verdicts follow from the claims of the statement and the evidence on them. Gathering claims and evidence is cheaper
than judging: it parses only the statement, and asks no judge. The digest of claims and evidence
(`knowhd.check.Gathered.digest`) tells whether new verdicts can differ. The risk follows from the graph alone, and is
measured each time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from fuzzygraph.risk_report import RiskReport
from groundwork.errors import ModelFaltered
from groundwork.records import Record
from groundwork.records.release import fingerprint
from knowhd.gather import EVERY
from knowhd.ground_report import GroundReport
from truthhypo.provenance import judging_files, program
from truthhypo.service.watchlist import Statement
from truthhypo.world import World

#: The settings on which verdicts and risks depend.
_SETTINGS = (
    *("model", "judge", "reader", "reader_threshold", "medv1_prompt", "marks", "evidence_tokens"),
    *("species", "syst", "rand", "k1", "b"),
)
#: Decimals to which a risk is rounded. Sums of path probabilities may differ in the last digits after each load.
_DECIMALS = 9


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
    return None if value is None else round(value, _DECIMALS)


def _hashed(shape: object) -> str:
    return sha256(json.dumps(shape).encode("utf-8", "surrogatepass")).hexdigest()
