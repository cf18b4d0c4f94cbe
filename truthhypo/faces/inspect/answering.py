"""Ask a model in inspect_ai as `bench run` does.

Answers follow a JSON schema. The first epoch is greedy, and the others are sampled. An invalid reply is repaired once.
"""

from inspect_ai.model import ChatMessageUser, ResponseSchema
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from groundwork.errors import ReplyError
from groundwork.llm.replies import read, repair
from truthhypo.faces.inspect.samples import task_in
from truthhypo.hypotheses.generate import answer_shape
from truthhypo.hypotheses.tasks import Task


@solver
def answer(seed: int = 0, temperature: float = 0.7) -> Solver:
    """Return a solver that asks questions in the same way as `bench run`.

    Args:
        seed: Seed of the first epoch. Each later epoch adds 1.
        temperature: Temperature of all epochs but the first, which is greedy.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task, place = task_in(state.metadata), state.epoch - 1
        schema = ResponseSchema(name="Answer", json_schema=_schema(task), strict=True)
        warmth, drawn = temperature if place else 0.0, seed + place
        state = await generate(state, response_schema=schema, temperature=warmth, seed=drawn)
        try:
            read(state.output.completion, answer_shape(task))
        except ReplyError as error:
            state.messages.append(ChatMessageUser(content=repair(error)))
            state = await generate(state, response_schema=schema, temperature=warmth, seed=drawn)
        return state

    return solve


def _schema(task: Task) -> JSONSchema:
    """Return the schema of `answer_shape` without references, which inspect_ai's schemas do not support."""
    return JSONSchema(
        type="object",
        properties={
            "rationale": JSONSchema(type="string"),
            "relation": JSONSchema(type="string", enum=list(task.labels)),
        },
        required=["rationale", "relation"],
        additionalProperties=False,
    )
