"""The base class of all records: converts dataclasses to plain JSON values."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from groundwork.records.shortened import shortened

if TYPE_CHECKING:
    from pandas import DataFrame


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
