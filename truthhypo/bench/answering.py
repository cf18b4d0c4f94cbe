"""Answer one question with a language model or the rules, and have the answer judged.

The result is an `Entry`: one record of a benchmark run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from groundwork.errors import BudgetSpent, CallFailed, ReplyError
from groundwork.llm.usage import Usage, since, total
from groundwork.ports import NO_USAGE, Accounting, LanguageModel
from truthhypo.bench.entries import Entry, Failure, Grounding
from truthhypo.bench.grounders import Grounder
from truthhypo.bench.knowledge import Library, shown
from truthhypo.bench.sets import Case, Dataset
from truthhypo.bench.suite import Samples
from truthhypo.hypotheses import rules
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.generate import ask, framed
from truthhypo.hypotheses.hypothesis import statement


@dataclass(frozen=True, slots=True)
class Item:
    """One question: an instance of a dataset, the setting that selects the knowledge, and the number of the sample.

    Sample 0 is the greedy answer. Higher numbers are sampled answers.
    """

    dataset: Dataset
    case: Case
    setting: str
    sample: int


class Answerer:
    """A language model or the rules, ready to answer the questions of a suite and to have the answers judged.

    Args:
        name: Name of this answerer in the suite.
        model: The language model. With None, the rules answer.
        library: Source of the chains and abstracts that are shown to the model.
        grounders: The judges.
        samples: Seed and temperature of the sampled answers.
    """

    def __init__(
        self,
        name: str,
        model: LanguageModel | None,
        library: Library,
        grounders: Sequence[Grounder],
        samples: Samples,
    ) -> None:
        self.name = name
        self._model = model
        self._library = library
        self._grounders = grounders
        self._samples = samples

    def answer(self, item: Item) -> Entry:
        """Return the record of a question.

        If the model's reply is unusable, or a call gets no reply, the record has a failure and no answer.

        Raises:
            BudgetSpent: The budget did not suffice for the answer and its judgement, so there is no record.
            ModelUnreachable, ModelTooSlow: The model cannot be reached.
            StoreError: A store failed.
        """
        case = item.case
        context = self._library.context(item.dataset, case, item.setting)
        seed = self._samples.seed + item.sample
        model = self._model.account() if isinstance(self._model, Accounting) else self._model
        began, before = monotonic(), model.usage() if model else NO_USAGE
        answer, rationale, failure = self._answered(model, item, context, seed)
        seconds = monotonic() - began
        spent = [since(model.usage(), before) if model else NO_USAGE]
        groundedness: dict[str, Grounding] = {}
        if answer is not None:
            text = f"{rationale} {statement(context, answer)}"
            for grounder in self._grounders:
                groundedness[grounder.name], used = grounder.ground(text, item.dataset.before)
                spent.append(used)
        usage = _whole(spent)
        return Entry(
            dataset=item.dataset.name,
            instance=case.id,
            model=self.name,
            setting=item.setting,
            sample=item.sample,
            seed=seed,
            answer=answer,
            rationale=rationale,
            failure=failure,
            knowledge=shown(context),
            groundedness=groundedness,
            usage=usage,
            seconds=round(seconds, 6),
        )

    def _answered(
        self, model: LanguageModel | None, item: Item, context: Context, seed: int
    ) -> tuple[str | None, str, Failure | None]:
        task = item.case.task
        if model is None:
            found = rules.answer(task, context)
            return found.relation, found.rationale, None
        temperature = self._samples.temperature if item.sample else 0.0
        prompt = framed(item.case.question, context.text)
        try:
            return *ask(task, prompt, model, temperature=temperature, seed=seed), None
        except BudgetSpent:
            raise
        except CallFailed as error:
            return None, "", Failure("call", error.seen)
        except ReplyError as error:
            return None, "", Failure("reply", error.seen)


def _whole(spent: Sequence[Usage]) -> Usage:
    """Return the total usage of an answer and its judgements.

    Raises:
        BudgetSpent: A part of the judgement is missing, because the budget was spent.
    """
    usage = total(spent)
    if usage["unasked"]:
        raise BudgetSpent(
            "the budget is spent",
            "a higher budget",
            "run the same command with a higher --budget-tokens or --budget-cost; it continues the run",
        )
    return usage
