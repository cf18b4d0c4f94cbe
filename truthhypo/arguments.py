"""Check the arguments of public methods, so that a wrong value raises `InputError` at once."""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, formatannotation, signature
from numbers import Integral, Real
from operator import index
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from groundwork.errors import InputError
from groundwork.options import Options, entries
from groundwork.ports import Progress

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: For each annotation: the accepted types, the function that converts a value, and the words for an error message.
#: Parameters with another annotation are not checked here.
_KINDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any], Any], str]] = {
    "int": (Integral, index, "a whole number"),
    "float": (Real, float, "a number"),
    "bool": (bool, bool, "True or False"),
    "str": (str, str, "a str"),
    "str | Path": ((str, Path), Path, "a path"),
}


def checked_arguments(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a method that first checks the arguments annotated as int, float, bool, str or path, with or without None.

    Numbers of NumPy are converted to numbers of Python. An unknown keyword, or a wrong number of arguments, still
    raises TypeError.

    Raises:
        InputError: An argument has another type than its annotation.
    """
    return _checked(method, signature(method))


def checked_options(
    record: type[Options],
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator like `checked_arguments` for methods with `**options`.

    The signature and the docstring of the method then list the options of the record one by one.
    """
    made = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in entries(record)
    ]

    def decorate(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        own = signature(method)
        call: Any = _checked(method, own.replace(parameters=[*list(own.parameters.values())[:-1], *made]))
        call.__doc__ = re.sub(
            r"^( *)\*\*options: .*\n",
            lambda found: "".join(f"{found[1]}{each.name}: {each.help}\n" for each in entries(record)),
            method.__doc__ or "",
            flags=re.MULTILINE,
        )
        checked: Callable[Parameters, Result] = call
        return checked

    return decorate


def _checked(method: Callable[Parameters, Result], known: Signature) -> Callable[Parameters, Result]:
    """Return a method that checks its arguments by a signature."""
    kinds = {name: found for name, each in known.parameters.items() if (found := _kind(each)) is not None}

    @wraps(method)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            bound = known.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{method.__name__}(): {error}") from None
        for name, value in bound.arguments.items():
            if name not in kinds:
                continue
            if known.parameters[name].kind is Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(_converted(name, each, *kinds[name]) for each in value)
            else:
                bound.arguments[name] = _converted(name, value, *kinds[name])
        return method(*bound.args, **bound.kwargs)

    vars(call)["__signature__"] = known
    return call


def _kind(parameter: Parameter) -> tuple[str, bool] | None:
    """Return a parameter's key in `_KINDS` and whether None is allowed; None for a parameter that is not checked."""
    written = parameter.annotation
    words = (written if isinstance(written, str) else formatannotation(written)).split(" | ")
    plain = " | ".join(word.rpartition(".")[2] for word in words if word != "None")
    return (plain, "None" in words) if plain in _KINDS else None


def _converted(name: str, value: Any, kind: str, optional: bool) -> Any:
    types, convert, wanted = _KINDS[kind]
    if value is None and optional:
        return None
    if isinstance(value, types) and (kind == "bool" or not isinstance(value, bool)):
        return convert(value)
    wanted += " or None" if optional else ""
    remedy = "for several texts use ground_many or risk_many" if name == "text" else f"correct {name}"
    raise InputError(f"{name} = {shown(value)}, which is of type {type(value).__name__}", wanted, remedy)


def shown(value: object) -> str:
    """Return a value as text for a message, at most 60 characters long."""
    told = repr(value)
    return told if len(told) <= 60 else f"{told[:57]}..."


def receiver(progress: object) -> None:
    """Check that an object can receive progress.

    Raises:
        InputError: The object lacks one of the methods `begin`, `advance` and `note`.
    """
    names = [name for name in vars(Progress) if not name.startswith("_")]
    if isinstance(progress, type) or not all(callable(getattr(progress, name, None)) for name in names):
        wanted = f"an object with the methods {', '.join(names)}"
        raise InputError(f"progress = {shown(progress)}", wanted, "see truthhypo.Progress; for many texts use True")
