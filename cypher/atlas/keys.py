"""A sorted sequence of texts that need not be loaded into memory."""

from collections.abc import Iterator, Sequence
from typing import overload

import pyarrow as pa


class Keys(Sequence[str]):
    """Texts in ascending order, in an Arrow array that may be memory-mapped."""

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        found: str | list[str] = self.texts[at].to_pylist() if isinstance(at, slice) else self.texts[at].as_py()
        return found

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts.to_pylist())
