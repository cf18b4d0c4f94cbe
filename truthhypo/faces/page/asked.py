"""Read the fields of a form into a typed request."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from groundwork.validation import fault_message
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import Request

Asked = TypeVar("Asked", bound=Request)


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
