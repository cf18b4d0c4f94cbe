"""A language model that reads its replies from a script: for tests, tutorials and dry runs without a server.

It goes through the same strict reading and the same repair round as a real one, so what is learned on it holds there.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from groundwork.errors import InputError, ModelUnreachable
from groundwork.llm.replies import Turn, converse
from groundwork.ports.model import NO_USAGE

Shape = TypeVar("Shape", bound=BaseModel)


class ScriptedModel:
    """Gives the replies of a script, one a call, in order.

    Args:
        replies: Each a text, sent as it is, or a JSON value, sent as JSON.
        name: As it is printed and stored.

    Attributes:
        conversations: What it was shown, one conversation a call, so that a reader can look at the prompts.
    """

    def __init__(self, replies: Iterable[Any], name: str = "scripted:") -> None:
        self.name = name
        self.conversations: list[tuple[Turn, ...]] = []
        self._replies = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in replies]
        self._repairs = 0

    @classmethod
    def from_file(cls, path: Path) -> "ScriptedModel":
        """A script in a file: one JSON document a line, each a reply (a JSON string is sent as plain text).

        Raises:
            InputError: The file cannot be read, or a line is not JSON.
        """
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"cannot read the script {path}: {error}", "a UTF-8 file of JSON lines", "check the path"
            ) from None
        replies = []
        for number, line in enumerate(lines, start=1):
            try:
                replies += [json.loads(line)] if line.strip() else []
            except json.JSONDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: {error.msg}", "one JSON document a line", f"correct line {number}"
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
        """The script's next reply as a typed value; temperature, seed and version change nothing in a script.

        Raises:
            ReplyError: Neither the reply nor the one after it fits the shape.
            ModelUnreachable: The script has no reply left.
        """
        del temperature, seed, version
        return converse(self._say, system, prompt, shape, self._repaired)

    def usage(self) -> dict[str, float | None]:
        """Calls and repairs so far; a script has no tokens."""
        return {**NO_USAGE, "calls": len(self.conversations), "repairs": self._repairs}

    def _say(self, turns: Sequence[Turn]) -> str:
        spoken = len(self.conversations)
        if spoken == len(self._replies):
            raise ModelUnreachable(
                f"the script of {self.name} has {spoken} replies and was asked for one more",
                "a reply for every question",
                "add replies to the script",
            )
        self.conversations.append(tuple(turns))
        return self._replies[spoken]

    def _repaired(self) -> None:
        self._repairs += 1
