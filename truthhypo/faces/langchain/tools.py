"""Tools for agents: lookups and judgements that never write to a store.

An error becomes a tool message that tells the agent what to do.
"""

import json
from typing import Any

from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import ConfigDict, ValidationError

from groundwork.errors import TruthHypoError, fault_message
from truthhypo.service.operations import OPERATIONS, TOOLS, Operation
from truthhypo.world import World


class Toolkit(BaseToolkit):
    """The tools of `service.operations.TOOLS` over one `World`, the same as those of MCP.

    The content of a tool message is the answer of the operation as one JSON document. The artifact of the message has
    the same content as plain Python values.

    Attributes:
        world: The stores and the model.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    world: World

    def get_tools(self) -> list[BaseTool]:
        """Return the tools, in the order of `TOOLS`."""
        return [_tool(self.world, OPERATIONS[name]) for name in TOOLS]


def _tool(world: World, operation: Operation[Any]) -> BaseTool:
    def run(**asked: Any) -> tuple[str, dict[str, Any]]:
        try:
            found = operation.answered(world, operation.asked(**asked))
        except TruthHypoError as error:
            raise ToolException(str(error)) from error
        return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":")), found

    return StructuredTool.from_function(
        func=run,
        name=operation.name,
        description=operation.description,
        args_schema=operation.asked,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=_unfit,
    )


def _unfit(error: Any) -> str:
    """Return the mistakes in the arguments of a tool, one per line, and what to do about them."""
    if not isinstance(error, ValidationError):
        return f"{error}\nTo fix it: call again with arguments that fit the tool's schema"
    wrong = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {fault_message(each)}" for each in error.errors()]
    return "\n".join([*wrong, "To fix it: call again with arguments that fit the tool's schema"])
