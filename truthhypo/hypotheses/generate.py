"""Answer how two concepts are related, with a language model or by rules, and choose one of several answers.

The prompt of a model consists of the context and the question. The rules use signs of chains, then co-occurrence in
abstracts. Ways to choose are greedy, by majority and by groundedness (paper A, Figure 4).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from groundwork.chance import noisy_or, series
from groundwork.compiled import twelve
from groundwork.errors import InputError, ReplyError
from groundwork.ports import NO_USAGE, LanguageModel
from groundwork.records.base import counted
from knowhd.ground_report import GroundReport
from literature.analysis import tokens
from truthhypo.hypotheses.hypothesis import RULES, Candidate, Context, Hypothesis, statement
from truthhypo.hypotheses.options import Select, Setting, Task, question

Item = TypeVar("Item")
Result = TypeVar("Result")


class Each(Protocol):
    """A function that applies another function (`work`) to several items."""

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item], /) -> list[Result]:
        """Call `work` with each item, and return the results in the order of the items."""


def one_by_one(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Call `work` with one item after the other, and return the results."""
    return [work(item) for item in items]


def generate(
    task: Task, context: Context, model: LanguageModel, n: int, each: Each = one_by_one
) -> tuple[Candidate, ...]:
    """Ask for n answers. The first is greedy (temperature 0); the others are sampled, each with its own seed.

    If the model cannot repair an invalid answer, the candidate for this answer has no relation, and the candidate's
    rationale gives the reason.

    Raises:
        ModelUnreachable: The model cannot be reached.
    """
    prompt = framed(question(task.head, task.tail, context.head, context.tail), context.text)

    def candidate(seed: int) -> Candidate:
        try:
            return Candidate(*ask(task, prompt, model, temperature=0.0 if seed == 0 else 0.7, seed=seed))
        except ReplyError as error:
            return Candidate(None, error.seen)

    return tuple(each(candidate, range(n)))


def framed(asked: str, knowledge: str) -> str:
    """Return the prompt: the knowledge, if there is any, and then the question.

    <context> tags in the knowledge are changed, so that it cannot end the section around it.
    """
    fenced = knowledge.replace("</context>", "< /context>").replace("<context>", "< context>")
    return f"<context>\n{fenced}\n</context>\n\n{asked}" if knowledge else asked


def ask(task: Task, prompt: str, model: LanguageModel, *, temperature: float, seed: int) -> tuple[str, str]:
    """Ask for one answer and return its label and its rationale.

    Raises:
        ReplyError: The model gave no usable answer.
        ModelUnreachable: The model cannot be reached.
    """
    prompts = files("truthhypo.hypotheses").joinpath("prompts/hypothesize.txt").read_text("utf-8")
    header, _, text = prompts.partition("\n")
    version, shape = header.removeprefix("version:").strip(), _shape(task.labels)
    reply = model.ask(text, prompt, shape, temperature=temperature, seed=seed, version=version).model_dump()
    return str(reply["relation"]), reply["rationale"]


@cache
def _shape(choices: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of an answer: a rationale, and then a label. It is cached, as making it takes 1 ms."""
    labels = StrEnum("Label", {label: label for label in choices})  # type: ignore[misc]
    return create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid"),
        rationale=(str, Field(min_length=1)),
        relation=(labels, ...),
    )


def answer_by_rules(task: Task, context: Context) -> Candidate:
    """Return the label that the context's evidence supports, and the reason. Chains beyond the context are not weighed.

    1. The sign of a chain is the product of the signs of its hops, and its weight is the product of their beliefs. The
       weights of all chains of the same sign are combined by noisy-or (12 significant digits). The sign with the
       larger weight gives the label. Chains with an unsigned hop have no sign and are ignored.
    2. If no sign prevails, but the context connects the two concepts by chains of both signs, by a direct edge or by an
       abstract that names both, there is no label: the two are related, and nothing tells how.
    3. Otherwise the label is that of unrelated pairs.
    """
    known, ends = context.chains, f"{context.head} and {context.tail}"
    chains = known.chains if known else ()
    weight = {
        sign: twelve(noisy_or(series(hop.belief for hop in chain.hops) for chain in chains if chain.sign == sign))
        for sign in (1, -1)
    }
    signed, direct = any(chain.sign for chain in chains), [chain for chain in chains if len(chain.hops) == 1]
    seen = []
    if signed:
        among = f"Among the {len(chains)} best of {known.total} chains, " if known and known.truncated else ""
        sides = (
            f"{counted(sum(chain.sign == sign for chain in chains), 'chain')} with a {name} sign "
            f"(noisy-or {weight[sign]:.4f})"
            for sign, name in ((1, "positive"), (-1, "negative"))
        )
        seen.append(f"{among}{' and '.join(sides)} connect {ends}.")
    if weight[1] != weight[-1]:
        return Candidate(task.positive if weight[1] > weight[-1] else task.negative, seen[0])
    if direct:
        edges = "A direct edge" if len(direct) == 1 else f"{len(direct)} direct edges"
        names = ", ".join(chain.hops[0].relation for chain in direct)
        seen.append(f"{edges} ({names}) connect{'s' * (len(direct) == 1)} {ends}.")
    if pmids := cooccurring(context):
        number = f"{counted(len(pmids), 'abstract')} name{'s' * (len(pmids) == 1)}"
        seen.append(f"{number} both {ends} (PMID {', '.join(map(str, pmids))}).")
    if seen:
        return Candidate(None, " ".join(["No sign prevails.", *seen]))
    nothing = "No direct edge, no chain with a sign and no abstract in the context connects"
    return Candidate(task.unrelated, f"{nothing} {ends}.")


def cooccurring(context: Context) -> list[int]:
    """Return the PMIDs of passages that contain both names, compared word by word as a search compares them."""
    names = _words(context.head), _words(context.tail)
    texts = {p.pmid: _words(f"{p.title} {p.abstract}") for p in context.passages or ()}
    return [pmid for pmid, text in texts.items() if all(name in text for name in names)]


def _words(text: str) -> str:
    """Return the search tokens of a text, each between two blanks."""
    return f" {' '.join(tokens(text))} "


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
    candidates = (answer_by_rules(task, context),) if model is None else generate(task, context, model, n, each)
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
        judged = [candidate for candidate in answered if candidate.groundedness is not None]
        return max(
            judged or answered[:1],
            key=lambda one: (one.groundedness or 0.0, -(one.contradicted or 0.0), one.claims_judged or 0),
        )
    return answered[0]


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
