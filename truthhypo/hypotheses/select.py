"""Choose one of several candidate answers: greedy, by majority, or by groundedness (paper A, Figure 4)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from groundwork.errors import InputError
from groundwork.ports import NO_USAGE, LanguageModel
from knowhd.ground_report import GroundReport
from truthhypo.hypotheses import rules
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.generate import Each, generate, one_by_one
from truthhypo.hypotheses.hypothesis import Candidate, Hypothesis, statement
from truthhypo.hypotheses.options import Select, Setting
from truthhypo.hypotheses.rows import RULES
from truthhypo.hypotheses.tasks import Task


def hypothesize(
    task: Task,
    setting: Setting,
    context: Context,
    model: LanguageModel | None,
    n: int,
    select: Select,
    ground: Callable[[str], GroundReport],
    each: Each = one_by_one,
) -> Hypothesis:
    """Make candidate answers and choose one.

    Args:
        task: The task with the pair of concepts.
        setting: Kind of knowledge in the context.
        context: The knowledge that the model is given.
        model: The language model. With None, the rules answer and give one candidate, for any n.
        n: Number of candidates to ask a model for, >= 1.
        select: How to choose a candidate; see `choose`.
        ground: Function that judges a text. It is called once per candidate, and only for `groundedness`.
        each: Function that applies another function to several items, possibly in parallel.

    Raises:
        InputError: n < 1.
    """
    if n < 1:
        raise InputError(f"n = {n} candidates", "n >= 1", "give -n 1 or more")
    candidates = (rules.answer(task, context),) if model is None else generate(task, context, model, n, each)
    if select == "groundedness":
        candidates = tuple(each(lambda candidate: _grounded(context, candidate, ground), candidates))
    best = choose(candidates, select)
    return Hypothesis(
        head=task.head,
        tail=task.tail,
        task=task.name,
        setting=setting,
        relation=best.relation,
        rationale=best.rationale,
        context=context,
        candidates=candidates,
        select=select,
        model=model.name if model else RULES,
        usage=model.usage() if model else dict(NO_USAGE),
    )


def choose(candidates: tuple[Candidate, ...], select: Select) -> Candidate:
    """Return the chosen candidate. Candidates without a relation are ignored unless all have none.

    greedy: the first candidate. majority: the first candidate with the most frequent label; among equally frequent
    labels the first one wins. groundedness: the candidate with the highest groundedness. Ties are decided by the
    smaller share of contradicted claims, then by more judged claims, then by order. Candidates without a judged claim
    come last.
    """
    answered = [candidate for candidate in candidates if candidate.relation is not None]
    if not answered:
        return candidates[0]
    if select == "majority":
        label = Counter(candidate.relation for candidate in answered).most_common(1)[0][0]
        return next(candidate for candidate in answered if candidate.relation == label)
    if select == "groundedness":
        return max(answered, key=_standing)
    return answered[0]


def _standing(candidate: Candidate) -> tuple[float, float, int]:
    if candidate.groundedness is None:
        return -1.0, 0.0, 0
    return candidate.groundedness, -(candidate.contradicted or 0.0), candidate.claims_judged or 0


def _grounded(context: Context, candidate: Candidate, ground: Callable[[str], GroundReport]) -> Candidate:
    if candidate.relation is None:
        return candidate
    report = ground(f"{candidate.rationale} {statement(context, candidate.relation)}")
    shares = report.aggregates["both"].soft
    return replace(
        candidate,
        groundedness=report.groundedness["both"],
        contradicted=shares["contradicted"] if shares else None,
        claims_judged=report.claims_judged["both"],
    )
