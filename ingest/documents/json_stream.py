"""JSON read piece by piece: what is in memory is one value and the piece it came in, not the file."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from typing import Any

from groundwork.errors import InputError

#: Characters of the longest value that is held; a document is far shorter.
VALUE_LIMIT = 1 << 28

_SPACE = " \t\n\r\ufeff"
_NUMBER = "0123456789.eE+-"  # `1` may go on as `1.5`, which another piece brings
_NEAR_END = 16  # an error this near to the end of what was read may be mended by reading on


class JsonStream:
    """A cursor over JSON text.

    Args:
        path: Named in errors.
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
        self._counted = 0  # where line ends are counted to

    @property
    def line(self) -> int:
        """Line number of the cursor, from 1."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def next(self) -> str:
        """The next character that is no blank, not passed over; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more(1):
                return self._text[self._at : self._at + 1]

    def skip(self, wanted: str) -> None:
        """Pass over one character.

        Raises:
            InputError: Another one stands there.
        """
        if self.next() != wanted:
            raise self.broken(f"{wanted!r} was expected")
        self._at += 1

    def value(self) -> Any:
        """The next value, passed over.

        Raises:
            InputError: It is broken, ends with the file, or is longer than `VALUE_LIMIT`.
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
        """The names in an object whose `{` comes next; its caller passes over each value before the next name."""
        self.skip("{")
        if self.next() != "}":
            while True:
                name = self.value()
                if not isinstance(name, str):
                    raise self.broken("a name in quotes was expected")
                self.skip(":")
                yield name
                if self.next() != ",":
                    break
                self.skip(",")
        self.skip("}")

    def elements(self) -> Iterator[int]:
        """The line of each element in an array whose `[` comes next; its caller passes over each before the next."""
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
        """The error for what stands at the cursor."""
        ended = not self.next()
        return InputError(
            f"{self._path}, line {self.line}: broken JSON: {'the file ends too early' if ended else what}",
            "BioC-JSON documents: one, a collection, an array, or one a line",
            "fetch the file again, whole; every value in it must be closed",
        )

    def _more(self, characters: int) -> bool:
        """Read at least so many characters on, if there are any; what is passed over is let go."""
        if len(self._text) - self._at > VALUE_LIMIT:
            raise InputError(
                f"{self._path}, line {self.line}: a JSON value of more than {VALUE_LIMIT} characters",
                "documents one by one",
                "split the file, or fetch the documents anew",
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
