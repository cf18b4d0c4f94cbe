"""Records of a run. Each line of records.jsonl is an answer, or the reason why there is no answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from groundwork.errors import InputError
from groundwork.llm.usage import Usage
from groundwork.ports import NO_USAGE
from groundwork.records import Record
from truthhypo.json_files import RecordFile, parsed

#: Key of a record: dataset, instance, model, setting, sample.
Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Failure(Record):
    """Why there is no answer.

    Attributes:
        kind: `reply` (the model's reply was unusable even after a repair), `call` (no reply at all; the next run asks
            again), or `data` (a baseline had no other instances to learn from).
        reason: The reason as text.
    """

    kind: Literal["reply", "call", "data"]
    reason: str


@dataclass(frozen=True, slots=True)
class Verdicts(Record):
    """One claim of an answer with a judge's verdicts.

    Attributes:
        text: The claim.
        graph: Verdict by the graph alone: `supported`, `contradicted`, `not_enough` or `failed`.
        literature: Verdict by the literature alone, with the same values.
        both: Verdict by both sources together, with the same values.
        cited: Ids of the edges, chains and sentences on which the verdicts are based.
        reason: The reason in the judge's words.
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
        graph: Groundedness by the graph, in [0, 1]; None if no claim was judged.
        literature: Groundedness by the literature, in the same form.
        both: Groundedness by both sources together, in the same form.
        contradicted: Share of contradicted claims among the claims judged on both sources together; None if no claim
            was judged.
        claims: Each claim with its verdicts.
        failure: The error if judging failed as a whole, so that `claims` is empty; otherwise None.
        seconds: Duration of the judgement.
    """

    graph: float | None
    literature: float | None
    both: float | None
    contradicted: float | None
    claims: tuple[Verdicts, ...]
    failure: str | None = None
    seconds: float = 0.0

    def judged(self, source: str) -> int:
        """Return the number of claims whose verdict by a source (`graph`, `literature`, `both`) is not `failed`."""
        return sum(getattr(claim, source) != "failed" for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Knowledge(Record):
    """The knowledge that an answerer was given for a question. It comes from the stores.

    Attributes:
        chains: Number of chains shown; None if the setting has no graph.
        chains_total: Number of chains found; None if the setting has no graph.
        best: The first few of the chains, each as `KEY relation KEY relation KEY`.
        pmids: PMIDs of the abstracts shown, best first; None if the setting has no literature.
        sha256: SHA-256 of the whole knowledge as it is in the prompt, in hex.
    """

    chains: int | None
    chains_total: int | None
    best: tuple[str, ...]
    pmids: tuple[int, ...] | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry(Record):
    """One line of records.jsonl: an answer, or the reason why there is none.

    Attributes:
        dataset: Name of the dataset in the suite.
        instance: `X_ID~Y_ID`, with the keys of both concepts as in the dataset.
        model: Name of the answerer in the suite; names of baselines begin with `baseline:`.
        setting: Kind of knowledge: `parametric`, `kg`, `lit` or `kg+lit`. For baselines: `none`, `kg` or `lit`.
        sample: Number of the answer: 0 is the greedy answer, and higher numbers are sampled answers.
        seed: Seed of the sample.
        answer: One of the task's three labels; None if there is no answer.
        rationale: The reason in the answerer's words; empty after a failure.
        failure: Why there is no answer; None if there is an answer, or if the rules are undecided.
        candidates: Probability of each label, for answerers that give probabilities; empty for language models.
        knowledge: The knowledge that the answerer was shown; None for baselines and for the setting `parametric`.
        groundedness: Grounding by name of the judge; empty if there was no judge or no answer.
        usage: Calls, tokens, cost etc. of the answer and its judgements, with the keys of `groundwork.ports.NO_USAGE`.
        seconds: Duration of the answer alone.
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
        """The key of the record. If several records have the same key, only the last one counts."""
        return self.dataset, self.instance, self.model, self.setting, self.sample

    @property
    def undecided(self) -> bool:
        """Whether there is no answer, but no failure either: no sign prevails for the rules."""
        return self.answer is None and self.failure is None

    @property
    def settled(self) -> bool:
        """Whether a continued run keeps this record. A record of a call without a reply is replaced."""
        return self.failure is None or self.failure.kind != "call"


_ENTRIES = TypeAdapter(Entry)


def latest(path: Path) -> tuple[Entry, ...]:
    """Return the last record of each key in a file of records. An incomplete last line is not a record.

    Raises:
        InputError: A complete line is not a record; the error names file and line.
    """
    found: dict[Key, Entry] = {}
    for number, line in enumerate(RecordFile(path).lines() if path.exists() else (), 1):
        try:
            entry: Entry = parsed(line, _ENTRIES)
        except ValueError as error:
            seen = f"{path}:{number} is not a record: {error}"
            raise InputError(seen, "a line that bench run wrote", "remove the line, and run again") from None
        found[entry.key] = entry
    return tuple(found.values())
