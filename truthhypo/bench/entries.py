"""Records of a run: one line of records.jsonl an answer, or why there is none; read as they are appended."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from groundwork.errors import InputError
from groundwork.llm.usage import Usage
from groundwork.ports import NO_USAGE
from groundwork.records import Record
from truthhypo.record_file import RecordFile

#: Dataset, instance, model, setting, sample.
Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Failure(Record):
    """Why there is no answer.

    Attributes:
        kind: `reply` (the model's words were not an answer, after a repair round), `call` (no reply at all; the next
            run asks again), or `data` (a baseline that has nothing to answer from).
        reason: In words.
    """

    kind: Literal["reply", "call", "data"]
    reason: str


@dataclass(frozen=True, slots=True)
class Verdicts(Record):
    """One claim of an answer and what a judge said of it.

    Attributes:
        text: The claim.
        graph: `supported`, `contradicted`, `not_enough` or `failed`.
        literature: Likewise.
        both: Likewise.
        cited: Ids of the edges, chains and sentences that decided.
        reason: In the judge's words.
    """

    text: str
    graph: str
    literature: str
    both: str
    cited: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Grounding(Record):
    """How well an answer's rationale and statement are grounded, by one judge.

    Attributes:
        graph: Groundedness in [0, 1]; None where no claim was judged.
        literature: Likewise.
        both: Likewise.
        contradicted: Share of the claims judged on both sources that are contradicted; None likewise.
        claims: Each claim with its verdicts.
        failure: Why nothing was judged; None where it was.
        seconds: Taken by the judgement.
    """

    graph: float | None
    literature: float | None
    both: float | None
    contradicted: float | None
    claims: tuple[Verdicts, ...]
    failure: str | None = None
    seconds: float = 0.0

    def judged(self, source: str) -> int:
        """Claims whose verdict on a source (`graph`, `literature`, `both`) is not `failed`."""
        return sum(getattr(claim, source) != "failed" for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Knowledge(Record):
    """What the answerer was given to read.

    Attributes:
        chains: How many chains it was shown; None where the setting has no graph.
        chains_total: How many there are.
        best: The first few of those chains, `KEY relation KEY relation KEY` each.
        pmids: The abstracts it was shown, best first; None where the setting has no literature.
        sha256: Of all of it as it stood in the prompt, in hex.
    """

    chains: int | None
    chains_total: int | None
    best: tuple[str, ...]
    pmids: tuple[int, ...] | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry(Record):
    """One line of records.jsonl: one answer, or why there is none.

    Attributes:
        dataset: Its name in the suite.
        instance: `X_ID~Y_ID`, as the keys stand in the set.
        model: As the suite names it; baselines begin with `baseline:`.
        setting: `parametric`, `kg`, `lit` or `kg+lit`; for a baseline what it looks at: `none`, `kg` or `lit`.
        sample: 0 is the greedy one; the others are drawn.
        seed: Of the draw.
        answer: One of the task's three labels; None where there is none.
        rationale: In the model's words; empty without an answer.
        failure: Why there is no answer; None where there is one.
        candidates: Label -> probability, for answerers that give one for each label; empty for language models.
        knowledge: What it was shown; None for baselines and in `parametric`.
        groundedness: Judge -> grounding; empty where no judge was asked or nothing was answered.
        usage: Calls, tokens, cost and so on, of the answer and its judgements (`groundwork.ports.NO_USAGE`).
        seconds: From first to last, of the answer alone.
    """

    dataset: str
    instance: str
    model: str
    setting: str
    sample: int
    seed: int
    answer: str | None
    rationale: str = ""
    failure: Failure | None = None
    candidates: Mapping[str, float] = field(default_factory=dict)
    knowledge: Knowledge | None = None
    groundedness: Mapping[str, Grounding] = field(default_factory=dict)
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))
    seconds: float = 0.0

    @property
    def key(self) -> Key:
        """What there is one record of."""
        return self.dataset, self.instance, self.model, self.setting, self.sample

    @property
    def settled(self) -> bool:
        """Whether a further run leaves it as it is: not where a call got no reply."""
        return self.failure is None or self.failure.kind != "call"

    @classmethod
    def of(cls, shape: Mapping[str, Any]) -> "Entry":
        """An entry of its JSON values.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It is none.
        """
        known = dict(shape)
        if (why := known["failure"]) is not None:
            known["failure"] = Failure(**why)
        if (shown := known["knowledge"]) is not None:
            pmids = shown["pmids"]
            tuples = {"best": tuple(shown["best"]), "pmids": None if pmids is None else tuple(pmids)}
            known["knowledge"] = Knowledge(**{**shown, **tuples})
        known["groundedness"] = {judge: _grounding(held) for judge, held in known["groundedness"].items()}
        return cls(**known)


class Pages:
    """One file of records, read once: what was appended since the last reading is read on from there.

    Args:
        path: The file; a last line that is not whole is still being written, or was cut off, and is no record.
    """

    def __init__(self, path: Path) -> None:
        self._file = RecordFile(path)
        self._held: dict[Key, Entry] = {}
        self._end = self._lines = 0

    def latest(self) -> Mapping[Key, Entry]:
        """By key the record that stands.

        Raises:
            InputError: A whole line that is no record; it names file and line.
        """
        if self._file.path.stat().st_size < self._end:  # made anew
            self._held, self._end, self._lines = {}, 0, 0
        for line in self._file.lines(self._end):
            entry = self._entry(line)
            self._held[entry.key] = entry
            self._end, self._lines = self._end + len(line), self._lines + 1
        return self._held

    def _entry(self, line: bytes) -> Entry:
        try:
            return Entry.of(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            seen = f"{self._file.path}:{self._lines + 1} is no record: {error}"
            raise InputError(seen, "a line that bench run wrote", "remove the line, and run again") from None


def _grounding(held: Mapping[str, Any]) -> Grounding:
    claims = tuple(Verdicts(**{**each, "cited": tuple(each["cited"])}) for each in held["claims"])
    return Grounding(**{**held, "claims": claims})
