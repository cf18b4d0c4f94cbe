"""Read the fields of a form into a typed request."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.datastructures import FormData

from groundwork.errors import InputError, TooLarge, fault_message
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import Request

Asked = TypeVar("Asked", bound=Request)
Content = TypeVar("Content")


def asked(kind: type[Asked], fields: Mapping[str, Any], names: Iterable[str]) -> Asked:
    """Return the request that a form asks for. An empty field has its default value.

    Args:
        kind: The type of the request.
        fields: The fields of the form.
        names: Names of the fields to read. Other fields are ignored.

    Raises:
        ProblemRaised: A field has an unusable value.
    """
    given = {name: value for name in names if (value := fields.get(name)) not in (None, "")}
    try:
        return kind.model_validate(given, strict=False)
    except ValidationError as error:
        raise ProblemRaised(form_problem(error)) from error


def form_problem(error: ValidationError) -> Problem:
    """Return the problem of a form with an unusable field."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return Problem.told(422, where or "the form", fault_message(first), "correct the field")


def listed(sent: FormData, field: str) -> list[str]:
    """Return the values of a field that may occur several times, without those that are empty."""
    return [str(each).strip() for each in sent.getlist(field) if str(each).strip()]


def meant(sent: FormData) -> dict[str, str]:
    """Return what names mean: the key of a concept by each name, from the fields `concept`.

    A name may occur twice in the form: first with the concept of the judgement on the page, then with the concept that
    the user clicked. The last one counts.

    Raises:
        InputError: A concept is not of the form NAME=KEY.
    """
    concepts = {}
    for pair in listed(sent, "concept"):
        name, _, key = (part.strip() for part in pair.partition("="))
        if not name or not key:
            raise InputError(f"the concept {pair!r}", "NAME=KEY", "write it as PSA=Gene|354")
        concepts[name] = key
    return concepts


def read_upload(name: str, content: bytes, read: Callable[[Path], Content], argument: str, label: str) -> Content:
    """Return what a function reads from an uploaded file.

    Args:
        name: The name of the file in the browser.
        content: The content of the file.
        read: Function that reads a file.
        argument: The argument of the Python interface that messages of `read` name.
        label: The field of the form that stands for this argument.

    Raises:
        TooLarge: The file is small only because its texts are compressed.
        InputError: The file cannot be read.
    """
    with TemporaryDirectory() as folder:
        # A browser may send any name. This one can be written: it is short, and it is not `..`.
        path = Path(folder, "_" + Path(name.replace("\\", "/")).name.replace("\0", "")[-60:])
        path.write_bytes(content)
        try:
            return read(path)
        except TooLarge:
            raise
        except InputError as error:
            remedy = error.remedy.replace(f"the argument `{argument}`", f"the option “{label}”")
            raise InputError(error.seen.replace(f"{folder}/_", ""), error.wanted, remedy) from None
