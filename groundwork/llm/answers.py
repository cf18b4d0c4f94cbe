"""Usable replies kept on disk, by content: what was asked once is not paid for twice.

They are JSON texts, unlike pickles harmless to open whoever wrote them. A reply from here is read as strictly as one
from the model.
"""

import json
import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any

from groundwork.cache_file import CacheFile

_FORMAT = 1
_COLUMNS = """
    key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL, completion_tokens INTEGER NOT NULL,
    used REAL NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """All that an answer depends on.

    Attributes:
        model: `provider:NAME`.
        address: Where it is served; empty: the provider's own.
        system: The prompt's text.
        version: The version its file gives it; may be empty.
        prompt: The question with its evidence.
        schema: The JSON schema of the answer.
        parameters: Temperature, seed, tokens, and how the shape is asked for.
    """

    model: str
    address: str
    system: str
    version: str
    prompt: str
    schema: dict[str, Any]
    parameters: dict[str, Any]

    @property
    def key(self) -> str:
        """The same for the same question, SHA-256 in hex; the question itself is not kept."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps([_FORMAT, parts], sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


class Answers:
    """Replies by question.

    Args:
        path: The file; made, with its folder, at the first reply that is kept.
        bound: Bytes it may hold.
    """

    def __init__(self, path: Path, bound: int) -> None:
        self.path = path
        self._file = CacheFile(path, "answers", _COLUMNS, bound)

    def get(self, asked: ReplyRequest) -> str | None:
        """The reply that was kept, or None."""

        def look(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT reply FROM answers WHERE key = ?", (asked.key,)).fetchone()
            if row is not None:
                database.execute("UPDATE answers SET used = ? WHERE key = ?", (time(), asked.key))
            return row and str(row[0])

        return self._file.read(look)

    def put(self, asked: ReplyRequest, reply: str, completion_tokens: int) -> None:
        """Keep a reply that was read into its shape."""
        row = (asked.key, asked.model, reply, completion_tokens, time())
        self._file.write(lambda base: base.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row))

    def mean_length(self, model: str) -> float | None:
        """Mean tokens of that model's replies; None where none is kept."""

        def average(database: sqlite3.Connection) -> float | None:
            query = "SELECT AVG(completion_tokens) FROM answers WHERE model = ? AND completion_tokens > 0"
            mean = database.execute(query, (model,)).fetchone()[0]
            return None if mean is None else float(mean)

        return self._file.read(average)
