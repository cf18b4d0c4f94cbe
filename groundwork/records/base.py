"""The base class of all records, which converts them to plain JSON values, and short texts that are safe to print."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from reprlib import Repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

#: Maximum length of a `repr`, in characters.
LONGEST = 2000
#: Maximum length of a line in `listed`.
_LINE = 160

#: Characters that control a terminal (all controls but tab and line feed) or change the order of other characters.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_SHORT = Repr()
_SHORT.maxtuple = _SHORT.maxlist = _SHORT.maxset = _SHORT.maxfrozenset = 3
_SHORT.maxdict, _SHORT.maxlevel = 8, 3
_SHORT.maxstring, _SHORT.maxother = 120, 160


def shortened(record: Any) -> str:
    """Return a record as `Name(field=value, ...)`. Long values are cut, and the text has at most LONGEST characters."""
    told = (f"{field.name}={_SHORT.repr(getattr(record, field.name))}" for field in fields(record) if field.repr)
    return cut(f"{type(record).__name__}({', '.join(told)})", LONGEST)


def listed(title: str, lines: Iterable[str]) -> str:
    """Return a title and lines below it. Lines that do not fit into LONGEST characters are only counted."""
    told, room, left = [cut(title, _LINE * 2)], LONGEST - 2 * _LINE - 40, 0
    for line in lines:
        short = cut(line, _LINE)
        room -= len(short) + 3
        if room < 0:
            left += 1
        else:
            told.append(short)
    return "\n  ".join([*told, *([f"... and {left:,} more"] if left else [])])


def printable(text: str) -> str:
    """Return a text with a replacement character (U+FFFD) for each of `CONTROLS`.

    Texts from models, servers and files may contain sequences that clear a terminal, write to the clipboard, or hide
    text. All texts for people go through this function before they are printed.
    """
    return CONTROLS.sub("\ufffd", text)


def cut(text: str, longest: int) -> str:
    """Return a text in one printable line of at most this many characters."""
    flat = printable(" ".join(text.splitlines()))
    return flat if len(flat) <= longest else f"{flat[: longest - 3]}..."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 article", "2 articles"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def number(value: float | None) -> str:
    """Return a score with two decimals, or `none` for None."""
    return "none" if value is None else f"{value:.2f}"


def plain(value: object) -> Any:
    """Return records, tuples and mappings as plain JSON values, keeping the order of fields.

    Floats are not changed, because records never contain NaN or infinity. A field with the metadata `private` is for
    the program's own use and is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if not f.metadata.get("private")}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    return value


class Record:
    """Base class of all records; its `to_dict` gives the JSON that commands and the service return.

    Example:
        >>> list(world.graph.edges("simvastatin", "HMGCR").to_dict())
        ['edges']
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Set the inherited `repr` on a subclass. Otherwise `dataclass` would generate a `repr` of unlimited length."""
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return shortened(self)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """Return the JSON schema of the record without private fields, which `plain` leaves out too."""
        schema: dict[str, Any] = handler(core)
        shape = handler.resolve_ref_schema(schema)
        for field in fields(cls):  # type: ignore[arg-type]  # every record is a dataclass
            if field.metadata.get("private"):
                shape["properties"].pop(field.name)
                shape["required"] = [name for name in shape.get("required", []) if name != field.name]
        return schema

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain dicts, lists, strings, numbers, booleans and None."""
        shape: dict[str, Any] = plain(self)
        return shape


def frame(
    records: Iterable[Record], columns: Iterable[str] | None = None, names: Mapping[str, str] | None = None
) -> "DataFrame":
    """Return records as a pandas DataFrame, one row per record, with columns named as in `to_dict`.

    Args:
        records: The records.
        columns: Names of the columns if there are no records.
        names: Names of concepts by key. If given, the columns `head_name` and `tail_name` are inserted after `head` and
            `tail`.
    """
    from pandas import DataFrame

    rows = [record.to_dict() for record in records]
    table = DataFrame(rows, columns=list(columns) if columns and not rows else None)
    for end in ("head", "tail") if names is not None else ():
        place = list(table.columns).index(end) + 1
        table.insert(place, f"{end}_name", [names.get(key, key) for key in table[end]] if names else table[end])
    return table
