"""A cache of usable replies on disk, so that the same question is not paid for twice.

Replies are stored as JSON texts. Unlike pickles, they are safe to read even if another program wrote them. A cached
reply is read as strictly as a reply from the model.
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
    key TEXT PRIMARY KEY, reply TEXT NOT NULL, used REAL NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """A question with all values on which its answer depends.

    Attributes:
        model: `provider:NAME`.
        address: Address of the server; empty for the provider's own server.
        system: Text of the system prompt.
        version: Version of the system prompt as its file states it; may be empty.
        prompt: The question with its evidence.
        schema: JSON schema of the answer.
        parameters: Temperature, seed, token limit, and how the shape of the answer is requested.
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
        """The cache key: SHA-256 in hexadecimal, equal for equal questions. The question itself is not stored."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps([_FORMAT, parts], sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


class Answers:
    """Cached replies by question.

    Args:
        path: The cache file. It is created, with its folder, when the first reply is stored.
        bound: Maximum size of the file in bytes.
    """

    def __init__(self, path: Path, bound: int) -> None:
        self.path = path
        self._file = CacheFile(path, "replies", _COLUMNS, bound)

    def get(self, asked: ReplyRequest) -> str | None:
        """Return the cached reply to a question, or None."""

        def look(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT reply FROM replies WHERE key = ?", (asked.key,)).fetchone()
            if row is not None:
                database.execute("UPDATE replies SET used = ? WHERE key = ?", (time(), asked.key))
            return row and str(row[0])

        return self._file.read(look)

    def put(self, asked: ReplyRequest, reply: str) -> None:
        """Store a reply. The caller must have checked that the reply has the requested shape."""
        row = (asked.key, reply, time())
        self._file.write(
            lambda base: base.execute("INSERT OR REPLACE INTO replies (key, reply, used) VALUES (?, ?, ?)", row)
        )
