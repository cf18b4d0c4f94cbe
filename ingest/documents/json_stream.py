"""Read JSON piece by piece: only one value and the current piece are in memory, not the whole file."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from typing import Any

from groundwork.errors import InputError

#: Maximum number of characters of one value; documents are far shorter.
VALUE_LIMIT = 1 << 28

_SPACE = " \t\n\r\ufeff"
_NUMBER = "0123456789.eE+-"  # a number may continue in the next piece: `1`, then `.5`
_NEAR_END = 16  # an error within this many characters of the end may only mean that more text must be read


class JsonStream:
    """A cursor over JSON text.

    Args:
        path: Path of the file, for error messages.
        chunks: The bytes, in pieces of any size. Bytes that are not UTF-8 become lone surrogates.
    """

    def __init__(self, path: str, chunks: Iterable[bytes]) -> None:
        self._path = path
        self._chunks = iter(chunks)
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._line = 1
        self._counted = 0  # position up to which line ends are counted

    @property
    def line(self) -> int:
        """Line number of the cursor, from 1."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def next(self) -> str:
        """Return the next character that is not a blank, without consuming it; an empty text at the end of the file."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more(1):
                return self._text[self._at : self._at + 1]

    def skip(self, wanted: str) -> None:
        """Consume the next character that is not a blank, which must be `wanted`.

        Raises:
            InputError: If it is another character.
        """
        if self.next() != wanted:
            raise self.broken(f"expected {wanted!r}")
        self._at += 1

    def value(self) -> Any:
        """Return the next value and consume it.

        Raises:
            InputError: If the value is invalid, incomplete at the end of the file, or longer than `VALUE_LIMIT`.
        """
        self.next()
        wanted = 1 << 16
        while True:
            try:
                found, end = self._parse(self._text, self._at)
            except json.JSONDecodeError as error:
                beyond = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith("Unterminated string")
                if beyond and self._more(wanted):
                    wanted *= 2
                    continue
                self._at = min(error.pos, len(self._text))
                raise self.broken(f"{error.msg}; the file ends soon after" if beyond else error.msg) from None
            except (ValueError, RecursionError) as error:
                raise self.broken(f"{error}") from None
            may_go_on = isinstance(found, int | float) and not self._text[end:].lstrip(_NUMBER)
            if not (may_go_on and self._more(wanted)):
                self._at = end
                return found

    def members(self) -> Iterator[str]:
        """Yield the name of each member of the object that begins with the next character that is not a blank.

        The caller must consume the value of a member before it requests the next name.
        """
        self.skip("{")
        if self.next() != "}":
            while True:
                name = self.value()
                if not isinstance(name, str):
                    raise self.broken("expected a name in quotes")
                self.skip(":")
                yield name
                if self.next() != ",":
                    break
                self.skip(",")
        self.skip("}")

    def elements(self) -> Iterator[int]:
        """Yield the line number of each element of the array that begins with the next character that is not a blank.

        The caller must consume an element before it requests the next one.
        """
        self.skip("[")
        if self.next() != "]":
            while True:
                self.next()
                yield self.line
                if self.next() != ",":
                    break
                self.skip(",")
        self.skip("]")

    def broken(self, what: str) -> InputError:
        """Return the error for invalid JSON at the cursor; `what` says what is wrong, unless the file ends there."""
        ended = not self.next()
        return InputError(
            f"{self._path}, line {self.line}: invalid JSON: {'the file ends too early' if ended else what}",
            "BioC-JSON documents: one document, a collection, an array, or one document per line",
            "download the complete file again",
        )

    def _more(self, characters: int) -> bool:
        """Drop the consumed text, and read at least this many more characters, or all characters that are left.

        Return whether anything was read.
        """
        if len(self._text) - self._at > VALUE_LIMIT:
            raise InputError(
                f"{self._path}, line {self.line}: a JSON value of more than {VALUE_LIMIT} characters",
                "separate documents",
                "split the file, or download the documents again",
            )
        line = self.line
        pieces = [self._text[self._at :]]
        read = 0
        for chunk in self._chunks:
            pieces.append(self._decode(chunk))
            read += len(pieces[-1])
            if read >= characters:
                break
        else:
            pieces.append(self._decode(b"", True))
            read += len(pieces[-1])
        self._text, self._at, self._line, self._counted = "".join(pieces), 0, line, 0
        return read > 0
