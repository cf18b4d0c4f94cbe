"""The base class of all records: converts dataclasses to plain JSON values."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any


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
    """Base class of all records; its `to_dict` gives the JSON shape that contract.md promises."""

    __slots__ = ()

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


def frame(records: Iterable[Record]) -> Any:
    """Return records as a pandas DataFrame, one row per record, with columns named as in `to_dict`."""
    from pandas import DataFrame

    return DataFrame([record.to_dict() for record in records])
