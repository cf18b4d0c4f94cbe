"""Cases as samples of inspect_ai: what a model may be shown, and nothing of the gold."""

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
    """Every case with the knowledge that its setting allows, looked up now; the stores are closed again.

    Args:
        dataset: The set.
        setting: Which knowledge.
        asked: How much of it.
        home: HOME of the stores; None: as the environment says.

    Raises:
        InputError: Settings that cannot be read.
        StoreError: A store is not there. In `parametric` none is opened.
    """
    flags: dict[str, Any] = {} if home is None else {"home": home}
    with connect(**flags) as world:
        library = Library(world, asked, len(dataset.cases))
        made = [_sample(case, setting, library.context(dataset, case, setting)) for case in dataset.cases]
    return MemoryDataset(made, name=dataset.name, location=str(dataset.described["path"]))


def task_in(metadata: Mapping[str, Any]) -> Task:
    """The task of a sample, by its metadata."""
    return task_of(metadata["x_id"], metadata["y_id"])


def _sample(case: Case, setting: Setting, context: Context) -> Sample:
    """The target stays empty: a solver of somebody else's could read it."""
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
