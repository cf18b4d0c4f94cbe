"""Classify the result of judging one text: judged, a call without a reply, or failed. Count results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from groundwork.errors import ModelFaltered, ModelTooSlow, TruthHypoError, UnfitText

FailOn: TypeAlias = Literal["contradicted", "unsupported"]

#: Advice for the user about a call that got no reply.
_AGAIN = "run the same command again to repeat the call"


def claims_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the claims of a record of `ground`; of one of `risk`, which only counts its claims, none."""
    found = record.get("claims", [])
    return [] if isinstance(found, int) else found


def citations_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the citations of a record of `cite`; of other records, none."""
    return record.get("citations") or []


def fails(record: Mapping[str, Any], condition: FailOn | None) -> bool:
    """Return whether a record meets the condition of `--fail-on`.

    `contradicted`: a claim or a citation is contradicted. `unsupported`: one is not supported, or the record has an
    error. A claim counts by its verdict on the union of the evidence.
    """
    found = [claim["verdicts"]["both"] for claim in claims_of(record)]
    found += [cited["verdict"] for cited in citations_of(record)]
    if condition == "unsupported":
        return bool(record.get("error")) or any(verdict != "supported" for verdict in found)
    return condition == "contradicted" and "contradicted" in found


def unanswered(record: dict[str, Any]) -> dict[str, str] | None:
    """Return an `error` about the first call of a judgement that got no reply, or None if all calls got a reply."""
    lost = (each for each in (*claims_of(record), *citations_of(record)) if "unanswered" in each["flags"])
    return next(({"seen": each["reason"], "wanted": "a reply", "remedy": _AGAIN} for each in lost), None)


def model_failed(error: Exception) -> bool:
    """Return whether the model failed on a text. After several failures in a row the model counts as unreachable."""
    return isinstance(error, ModelFaltered | ModelTooSlow)


def fault(error: Exception) -> dict[str, str]:
    """Return the `error` to record for a text whose judgement raised an exception.

    Raises:
        TruthHypoError: The same error, if it would affect all texts, for instance a bad option or an unreachable store.
    """
    if isinstance(error, TruthHypoError):
        if not (model_failed(error) or isinstance(error, UnfitText)):
            raise error
        return {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}
    seen = f"an internal error: {type(error).__name__}: {error}"
    remedy = "judge this text alone with --debug, and report the output"
    return {"seen": seen, "wanted": "no internal error", "remedy": remedy}


def wholly_unread(record: dict[str, Any]) -> bool:
    """Return whether a judgement has claims but the rule-based judge found no relation in any of them."""
    read = claims_of(record) or [cited for cited in citations_of(record) if cited["claims"]]
    return bool(read) and all("unread" in each["flags"] for each in read)


def judgeable(record: dict[str, Any]) -> bool:
    """Return False if all claims of a judgement failed for lack of a usable reply of the model, and True otherwise.

    A judgement without claims gives True.
    """
    claims = claims_of(record)
    return not claims or any(claim["verdicts"]["both"] != "failed" or "unread" in claim["flags"] for claim in claims)


def _by_source() -> dict[str, Counter[str]]:
    from knowhd.judge import SOURCES  # it imports the encoder

    return {source: Counter() for source in SOURCES}


@dataclass(slots=True)
class Tally:
    """Counts over the records of a run.

    Attributes:
        condition: The condition of `--fail-on`.
        texts: Number of records.
        failing: Number of records that meet the condition.
        verdicts: Number of claims by source and verdict.
        statuses: Number of sentences by status, for `risk`.
        citations: Number of citations by verdict, for `cite`.
        relations: Number of pairs by proposed relation, for `hypothesize`; `undecided` or `failed` if there is none.
        risks: (HRS, strength) of each text whose risk was measured.
        flags: Number of claims or sentences by flag.
        errors: Number of texts by the field `seen` of their `error`.
    """

    condition: FailOn | None = None
    texts: int = 0
    failing: int = 0
    verdicts: dict[str, Counter[str]] = field(default_factory=_by_source)
    statuses: Counter[str] = field(default_factory=Counter)
    citations: Counter[str] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    risks: list[tuple[float, float]] = field(default_factory=list)
    flags: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def counting(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Count each record, and yield it unchanged."""
        from truthhypo.hypotheses.hypothesis import outcome  # it imports judges

        for record in records:
            self.texts += 1
            self.failing += fails(record, self.condition)
            for claim in claims_of(record):
                self.flags.update(claim["flags"])
                for source, verdict in claim["verdicts"].items():
                    self.verdicts[source][verdict] += 1
            for sentence in record.get("sentences", ()):
                self.flags.update(sentence["flags"])
                self.statuses[sentence["status"]] += 1
            for cited in citations_of(record):
                self.flags.update(cited["flags"])
                self.citations[cited["verdict"]] += 1
            if "relation" in record:
                self.relations[outcome(record["relation"], record["model"])] += 1
            if record.get("hrs") is not None:
                self.risks.append((record["hrs"], record["strength"]))
            if record.get("error"):
                self.errors[record["error"]["seen"]] += 1
            yield record
