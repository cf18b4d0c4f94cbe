"""The task for inspect_ai: a benchmark set in one setting, asked and scored in the same way as `bench run`."""

from pathlib import Path
from typing import get_args

from inspect_ai import Task, task

from truthhypo.bench import sets
from truthhypo.bench.suite import ContextAsked, DatasetAsked
from truthhypo.faces.inspect.answering import answer
from truthhypo.faces.inspect.samples import samples
from truthhypo.faces.inspect.scoring import measures, relation
from truthhypo.hypotheses.context import Setting
from truthhypo.hypotheses.generate import instructions
from truthhypo.hypotheses.select import Select
from truthhypo.lookups import checked


@task
def hypothesize(
    data: str,
    setting: Setting = "parametric",
    before: int | None = None,
    limit: int | None = None,
    hops: int = 2,
    k: int = 32,
    exclude_retracted: bool = False,
    seed: int = 0,
    temperature: float = 0.7,
    select: Select = "greedy",
    home: str | None = None,
) -> Task:
    """Return the task: propose the relation of two concepts that no article relates yet.

    Args:
        data: A folder of `bench build`, or a file with the published columns.
        setting: `parametric`, or with knowledge: `kg`, `lit`, `kg+lit`.
        before: Use only knowledge with a PMID up to this one; None takes the end of the set's seen part.
        limit: Number of instances, spread evenly over tasks and labels; None takes all.
        hops: Maximum length of a chain, 1 to 4.
        k: Maximum number of abstracts.
        exclude_retracted: Ignore retracted articles.
        seed: Seed for the choice of instances and for the first epoch.
        temperature: Temperature of all epochs but the first, which is greedy.
        select: Answer that counts if there are several epochs: `greedy` or `majority`.
        home: HOME of the stores; None uses the environment.

    Raises:
        InputError: The set cannot be used, or a value is out of range.
        StoreError: A store that the setting needs does not exist.
    """
    checked("setting", setting, get_args(Setting))
    checked("select", select, ("greedy", "majority"))
    chosen = sets.load("truthhypo", DatasetAsked(path=data, before=before, limit=limit), seed)
    asked = ContextAsked(hops=hops, k=k, exclude_retracted=exclude_retracted)
    return Task(
        dataset=samples(chosen, setting, asked, Path(home) if home else None),
        solver=answer(seed, temperature),
        scorer=relation(str(chosen.gold_path.resolve()), chosen.described["gold_sha256"]),
        metrics=[measures(select)],
        headline_metric="relation_accuracy_micro",
        score_on_error=True,
        version=int(instructions()[1]),
        metadata={**chosen.described, "setting": setting, "warnings": list(chosen.warnings)},
    )
