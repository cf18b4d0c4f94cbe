"""A language model that reads its replies from a script: for tests, tutorials and trial runs without a server.

The replies pass the same strict reading and the same repair round as those of a real model.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from groundwork.errors import InputError, ModelUnreachable
from groundwork.files import loads, read_text
from groundwork.llm.replies import Turn, converse
from groundwork.ports.model import NO_USAGE

Shape = TypeVar("Shape", bound=BaseModel)


class ScriptedModel:
    """Returns the replies of a script, one per call, in order.

    Args:
        replies: Each reply is a text, which is used unchanged, or another JSON value, which is converted to JSON text.
        name: Name of the model in outputs and stored results.

    Attributes:
        conversations: The conversation of each call, so that a reader can inspect the prompts.
    """

    def __init__(self, replies: Iterable[Any], name: str = "scripted:") -> None:
        self.name = name
        self.conversations: list[tuple[Turn, ...]] = []
        self._replies = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in replies]
        self._repairs = 0

    @classmethod
    def from_file(cls, path: Path) -> "ScriptedModel":
        """Read a script from a file: each line is a reply in JSON, and a JSON string stands for a reply in plain text.

        Raises:
            InputError: If the file cannot be read, or a line is not JSON.
        """
        try:
            lines = read_text(path).splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"the script {path} cannot be read: {error}", "a UTF-8 file of JSON lines", "check the path"
            ) from None
        replies = []
        for number, line in enumerate(lines, start=1):
            try:
                replies += [loads(line)] if line.strip() else []
            except json.JSONDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: {error.msg}", "one JSON document per line", f"correct line {number}"
                ) from None
        return cls(replies, f"scripted:{path}")

    def ask(
        self,
        system: str,
        prompt: str,
        shape: type[Shape],
        *,
        temperature: float = 0.0,
        seed: int = 0,
        version: str = "",
    ) -> Shape:
        """Return the script's next reply as a typed value; temperature, seed and version are ignored.

        Raises:
            ReplyError: If neither the reply nor the one after it has the shape.
            ModelUnreachable: If the script has no reply left.
        """
        del temperature, seed, version
        return converse(self._say, system, prompt, shape, self._repaired)

    def usage(self) -> dict[str, float | None]:
        """Return the calls and repair rounds so far; a script has no tokens."""
        return {**NO_USAGE, "calls": len(self.conversations), "repairs": self._repairs}

    def _say(self, turns: Sequence[Turn]) -> str:
        spoken = len(self.conversations)
        if spoken == len(self._replies):
            raise ModelUnreachable(
                f"the script of {self.name} has {spoken} replies, but the program asked for one more",
                "a reply for every question",
                "add replies to the script",
            )
        self.conversations.append(tuple(turns))
        return self._replies[spoken]

    def _repaired(self) -> None:
        self._repairs += 1
