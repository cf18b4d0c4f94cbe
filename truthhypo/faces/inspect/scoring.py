"""Score answers against the gold labels, and compute the benchmark's measures. Only the scorer reads gold labels."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from groundwork.errors import InputError, ReplyError
from groundwork.llm.replies import read
from truthhypo.bench.entries import Entry, Failure
from truthhypo.bench.measures import measured
from truthhypo.bench.outcomes import Outcome
from truthhypo.bench.runs import hash_of
from truthhypo.faces.inspect.samples import task_in
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.generate import answer_shape
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.select import Select, choose


@metric(scores="unreduced")
def measures(select: Select = "greedy") -> Metric:
    """Return a metric: the measures of `bench rescore` over all tasks, with 95 % intervals as NAME_low and NAME_high.

    An unreadable answer counts only in `relation_accuracy_of_asked`. `failed_share` is the share of unreadable answers.
    A measure without data is omitted.

    Args:
        select: The answer that is scored if there are several epochs: `greedy` (the first) or `majority`.
    """

    def over(scores: list[SampleScore]) -> Mapping[str, float]:
        outcomes = list(_outcomes(scores, select))
        failed = sum(each.chosen.answer is None for each in outcomes)
        found: dict[str, float] = {}
        for name, figure in measured(outcomes, average=True).items():
            values = {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
            found |= {each: value for each, value in values.items() if value is not None}
        return {**found, "asked": len(outcomes), "failed_share": failed / max(1, len(outcomes))}

    return over


@scorer(metrics=[measures()])
def relation(gold: str, sha256: str) -> Scorer:
    """Return a scorer that compares the label of a reply with the gold. An invalid reply counts as no answer.

    Args:
        gold: Path of a table with the published columns.
        sha256: SHA-256 of this file in hex. Scores are valid only for the gold labels of the samples.

    Raises:
        InputError: The file cannot be read, or has another SHA-256.
    """
    path = Path(gold)
    right = {f"{each.x_id}~{each.y_id}": each.relation for each in dataset.read(path)}
    if (found := hash_of(path)) != sha256:
        raise InputError(f"{path} has SHA-256 {found}", sha256, "restore the gold file that the samples were made with")

    async def score(state: TaskState, target: Target) -> Score:
        del target  # the target is empty, because solvers could read it
        task, label = task_in(state.metadata), right[str(state.sample_id)]
        known = {"task": state.metadata["task"], "gold": label, "epoch": state.epoch}
        try:
            said = read(state.output.completion, answer_shape(task)).model_dump()
        except ReplyError as error:
            reason = "invalid_response_format" if state.output.completion else "no_response"
            return Score(value=NOANSWER, reason=reason, explanation=error.seen, metadata=known)
        given = str(said["relation"])
        value = CORRECT if given == label else INCORRECT
        return Score(value=value, answer=given, explanation=said["rationale"], metadata=known)

    return score


def _outcomes(scores: list[SampleScore], select: Select) -> Iterator[Outcome]:
    """Yield an outcome per sample, with the answer that is selected among the epochs."""
    ordered = sorted(scores, key=lambda each: (str(each.sample_id), _known(each)["epoch"]))
    for sample, epochs in groupby(ordered, key=lambda each: str(each.sample_id)):
        held = list(epochs)
        candidates = tuple(Candidate(each.score.answer, each.score.explanation or "") for each in held)
        best = choose(candidates, select) if select == "majority" else candidates[0]
        score = next(each.score for each, candidate in zip(held, candidates, strict=True) if candidate is best)
        known = score.metadata or {}
        failure = None if score.answer else Failure("reply", score.explanation or "")
        chosen = Entry("", sample, "", "", known["epoch"] - 1, 0, score.answer, failure=failure)
        yield Outcome(sample, known["task"], known["gold"], chosen)


def _known(score: SampleScore) -> Mapping[str, int]:
    return score.score.metadata or {}
