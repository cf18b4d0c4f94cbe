"""Convert cases to samples of inspect_ai, without any gold labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from truthhypo.bench.knowledge import Library, shown
from truthhypo.bench.sets import Case, Dataset
from truthhypo.bench.suite import ContextAsked
from truthhypo.connection import connect
from truthhypo.hypotheses.context import Context, Setting
from truthhypo.hypotheses.generate import framed, instructions
from truthhypo.hypotheses.tasks import Task, task_of


def samples(dataset: Dataset, setting: Setting, asked: ContextAsked, home: Path | None) -> MemoryDataset:
    """Return all cases as samples, with the knowledge of the setting. The stores are closed afterwards.

    Args:
        dataset: The benchmark set.
        setting: Kind of knowledge.
        asked: Limits on the amount of knowledge.
        home: HOME of the stores. With None, it is read from the environment.

    Raises:
        InputError: The settings cannot be read.
        StoreError: A store does not exist. The setting `parametric` opens no store.
    """
    with connect(home=home) as world:
        library = Library(world, asked, len(dataset.cases))
        made = [_sample(case, setting, library.context(dataset, case, setting)) for case in dataset.cases]
    return MemoryDataset(made, name=dataset.name, location=str(dataset.described["path"]))


def task_in(metadata: Mapping[str, Any]) -> Task:
    """Return the task of a sample from its metadata."""
    return task_of(metadata["x_id"], metadata["y_id"])


def _sample(case: Case, setting: Setting, context: Context) -> Sample:
    """Return a case as a sample. The target is empty, because a solver could read it."""
    knowledge = shown(context)
    return Sample(
        input=[
            ChatMessageSystem(content=instructions()[0]),
            ChatMessageUser(content=framed(case.question, context.text)),
        ],
        id=case.id,
        metadata={
            "x_id": case.x_id,
            "y_id": case.y_id,
            "task": case.rel_type,
            "setting": setting,
            "knowledge": knowledge.to_dict() if knowledge else None,
        },
    )
