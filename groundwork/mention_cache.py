"""A cache of the mentions found in texts, so that no text is linked twice while the names in the graph stay the same.

The cache only saves time; it never changes an answer. It is not a part of the graph, so the graph's digest
(`groundwork.digest`) does not depend on it.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from sqlite3 import Connection
from time import time

from groundwork.cache_file import CacheFile
from groundwork.json_text import loads
from groundwork.linking import Mention
from groundwork.records import Match

#: Version of the cached data. Increase it when mentions are found or stored in another way.
_FORMAT = 4
_COLUMNS = "key BLOB PRIMARY KEY, mentions BLOB NOT NULL, used REAL NOT NULL"
#: Maximum size of the file in bytes: the mentions of about half a million abstracts.
_BOUND = 2**30

Mentions = tuple[Mention, ...]


class MentionCache:
    """A cache of the mentions found in texts, in one file.

    Mentions are stored by their text and by what else they depend on: a fingerprint of the graph's releases, which
    stands for the names in the graph, and the organism that the user chose.

    Args:
        path: The file; it is created at the first write.
    """

    def __init__(self, path: Path) -> None:
        self._file = CacheFile(path, "mentions", _COLUMNS, _BOUND)
        self._program = f"{version('truthhypo')}/{_FORMAT}"

    def get(self, texts: Iterable[str], names: str) -> dict[str, Mentions]:
        """Return the cached mentions of the given texts; texts that are not cached are left out.

        Args:
            texts: The texts.
            names: What the mentions depend on, as one text.
        """
        keys = {self._key(text, names): text for text in texts}

        def look(database: Connection) -> list[tuple[bytes, bytes]]:
            rows = [
                row
                for key in keys
                for row in database.execute("SELECT key, mentions FROM mentions WHERE key = ?", (key,))
            ]
            database.executemany("UPDATE mentions SET used = ? WHERE key = ?", [(time(), key) for key, _ in rows])
            return rows

        found = {keys[key]: _unpacked(mentions) for key, mentions in (self._file.read(look) if keys else None) or ()}
        return {text: mentions for text, mentions in found.items() if mentions is not None}

    def put(self, found: Mapping[str, Mentions], names: str) -> None:
        """Store the mentions of texts."""
        rows = [(self._key(text, names), _packed(mentions), time()) for text, mentions in found.items()]
        if rows:
            self._file.write(
                lambda base: base.executemany(
                    "INSERT OR REPLACE INTO mentions (key, mentions, used) VALUES (?, ?, ?)", rows
                )
            )

    def _key(self, text: str, names: str) -> bytes:
        return sha256(json.dumps([self._program, names, text]).encode()).digest()


def _packed(mentions: Mentions) -> bytes:
    rows = [{name: getattr(each, name) for name in Mention.__slots__} for each in mentions]
    for row in rows:
        row["alternatives"] = [[getattr(match, name) for name in Match.__slots__] for match in row["alternatives"]]
    return zlib.compress(json.dumps(rows).encode(), level=1)


def _unpacked(packed: bytes) -> Mentions | None:
    """Return the mentions, or None if the bytes were changed since they were written (zlib adds a checksum)."""
    try:
        rows = loads(zlib.decompress(packed))
        return tuple(
            Mention(**{**row, "alternatives": tuple(Match(*each) for each in row["alternatives"])}) for row in rows
        )
    except (zlib.error, ValueError, TypeError, KeyError):
        return None
