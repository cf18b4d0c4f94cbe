"""Options of a judgement, written once: a frozen dataclass with one field for each option.

The command line, the Python interface, REST, MCP and suites derive their forms from these records. So a new option is
one field of a record, and the code that uses it. `checked_options` makes the keyword arguments of a Python method,
`with_options` the fields of a request, and `truthhypo.faces.cli.options.takes` the options of a command.

    @dataclass(frozen=True, kw_only=True)
    class RiskOptions(Options):
        alpha: float = option(0.9, "Weight of a similarity edge.", gt=0, le=1)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, wraps
from inspect import Parameter, Signature, formatannotation, signature
from math import isfinite
from numbers import Integral, Real
from operator import index
from pathlib import Path
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, create_model, model_validator

from groundwork.errors import InputError, refusal
from groundwork.organisms import taxon_of
from groundwork.ports import Progress
from groundwork.records import Design

Model = TypeVar("Model", bound=BaseModel)
AnyOptions = TypeVar("AnyOptions", bound="Options")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Option:
    """What an option does and which values it may have.

    Attributes:
        help: What the option does, in full sentences.
        ge: Smallest value.
        gt: Number that the value must exceed.
        le: Largest value.
        most_served: Largest value in a request to the service; of a mapping or sequence, its largest size. None: as
            elsewhere.
        opposite: Name and help of the opposite of an option that is True by default. Commands and requests offer the
            opposite instead.
        flags: Names on the command line, if they do not follow from the name of the option.
        metavar: Form of the value in the help of a command, if it does not follow from the type.
        panel: Heading in the help of a command; empty for the common options.
    """

    help: str
    ge: int | None = None
    gt: int | None = None
    le: int | None = None
    most_served: int | None = None
    opposite: tuple[str, str] = ("", "")
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str = ""


class Entry(NamedTuple):
    """One option of a record: its name, type, default value and meaning."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def many(self) -> bool:
        """Whether the option is a sequence of values, so that it may be given several times."""
        return get_origin(self.type) is Sequence

    @property
    def item(self) -> Any:
        """The type of one value."""
        return get_args(self.type)[0] if self.many else self.type

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that an option of type `Literal`, or a sequence of them, may have; empty for other types."""
        return get_args(self.item) if get_origin(self.item) is Literal else ()

    @property
    def names(self) -> bool:
        """Whether the option is a mapping from names to keys."""
        return any(get_origin(part) is Mapping for part in get_args(self.type))

    @property
    def range(self) -> str:
        """The values that the option may have, in words; empty if its type and help say enough."""
        low, above, high = self.option.ge, self.option.gt, self.option.le
        if self.choices:
            return " or ".join(self.choices) if len(self.choices) == 2 else f"one of {', '.join(self.choices)}"
        if low is not None:
            return f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
        if above is not None:
            return f"above {above:,}" if high is None else f"above {above:,}, at most {high:,}"
        return ""

    @property
    def help(self) -> str:
        """What the option does, with its range if it is a number."""
        return f"{self.option.help} Range: {self.range}." if self.range and not self.choices else self.option.help

    @property
    def asked(self) -> "Entry":
        """The option as commands and requests offer it: its opposite if it has one."""
        name, told = self.option.opposite
        return Entry(name, bool, not self.default, replace(self.option, help=told)) if name else self

    def check(self, value: Any) -> None:
        """Check that a value of the right type is in the range.

        Raises:
            InputError: The value is out of range, not a choice, or not a finite number.
        """
        option, remedy = self.option, f"choose another value of the argument `{self.name}`"
        if value is None:
            return
        for each in value if self.many else (value,):
            if (self.choices and each not in self.choices) or (self.many and not isinstance(each, str)):
                raise InputError(f"{self.name} {each!r}", self.range or "a name", remedy)
        if not isinstance(value, int | float):
            return
        fits = isfinite(value)
        fits = fits and (option.ge is None or value >= option.ge) and (option.gt is None or value > option.gt)
        if not (fits and (option.le is None or value <= option.le)):
            raise InputError(f"{self.name} = {value}", self.range or "a finite number", remedy)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The base of all records of options.

    Raises:
        InputError: A value is out of range, or not one of the choices.
    """

    def __post_init__(self) -> None:
        for entry in entries(type(self)):
            if entry.many:
                # A single text stands for itself, and None for no value.
                value = getattr(self, entry.name)
                object.__setattr__(self, entry.name, (value,) if isinstance(value, str) else tuple(value or ()))
            entry.check(getattr(self, entry.name))

    def keywords(self) -> dict[str, Any]:
        """Return the value of each option by its name."""
        return {entry.name: getattr(self, entry.name) for entry in entries(type(self))}


def option(default: Any, help: str, **more: Any) -> Any:
    """Return the field of a dataclass for one option.

    Args:
        default: The default value.
        help: What the option does, in full sentences.
        **more: Further attributes of `Option`.
    """
    return field(default=default, metadata={"option": Option(help, **more)})


def before_option() -> Any:
    """Return the field of the option `before`, which several records have."""
    return option(None, "Use only evidence with a PMID up to this one; by default, use all.", ge=1)


def retracted_option() -> Any:
    """Return the field of the option `exclude_retracted`, which several records have."""
    return option(False, "Ignore retracted articles.")


def concepts_option() -> Any:
    """Return the field of the option `concepts`, which several records have."""
    told = "For each ambiguous name in the text, the key or id of the concept that it means."
    return option(None, told, flags=("--concept",), metavar="NAME=KEY", most_served=100)


@dataclass(frozen=True, kw_only=True)
class StudyOptions(Options):
    """Which studies count, by the kind of study (`groundwork.study`).

    Raises:
        InputError: A design or an organism is not known.
    """

    design: Sequence[Design] = option(
        (),
        f"Use only articles with this design: {', '.join(get_args(Design))}.",
        metavar="DESIGN",
        panel="Evidence",
        most_served=20,
    )
    organism: Sequence[str] = option(
        (),
        "Use only articles on this organism: an NCBI taxon id, or a name such as mouse.",
        metavar="NAME",
        panel="Evidence",
        most_served=100,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.organism:
            taxon_of(name)


def entries(record: type[Options]) -> tuple[Entry, ...]:
    """Return the options of a record in the order of its fields."""
    hashable: Any = record  # mypy holds that classes with a __hash__ for their instances are not hashable
    return _entries(hashable)


@cache
def _entries(record: Any) -> tuple[Entry, ...]:
    types = get_type_hints(record)
    found = ((each, each.metadata.get("option")) for each in fields(record))
    return tuple(Entry(each.name, types[each.name], each.default, held) for each, held in found if held)


def with_options(record: type[Options], *names: str) -> Callable[[type[Model]], type[Model]]:
    """Return a decorator that adds options to a pydantic model as fields. `options_in` reads them back.

    Args:
        record: The record of the options.
        *names: The options to add; by default, all.
    """
    added = dict(_model_field(entry.asked) for entry in entries(record) if not names or entry.name in names)

    def check(model: BaseModel) -> BaseModel:
        """Check what the ranges of single fields do not say."""
        try:
            options_in(model, record)
        except InputError as error:
            raise refusal(error) from None
        return model

    validators: dict[str, Any] = {"check_options": model_validator(mode="after")(check)}

    def decorate(model: type[Model]) -> type[Model]:
        made: Any = create_model(
            model.__name__,
            __base__=model,
            __doc__=model.__doc__,
            __module__=model.__module__,
            __validators__=validators,
            **added,
        )
        return made  # type: ignore[no-any-return]  # the types of `create_model` do not allow computed fields

    return decorate


def options_in(model: BaseModel, record: type[AnyOptions]) -> AnyOptions:
    """Return the options that a model made by `with_options` has. Options that the model lacks have their defaults.

    Raises:
        InputError: The options do not fit together.
    """
    return made_of(record, {name: getattr(model, name) for name in type(model).model_fields})


def made_of(record: type[AnyOptions], given: Mapping[str, Any]) -> AnyOptions:
    """Return the record of the values that a command or request gives under the names of `Entry.asked`.

    Raises:
        InputError: A value is out of range, or the options do not fit together.
    """
    held = dict[str, Any]()
    for each in entries(record):
        name = each.asked.name
        if name in given:
            held[each.name] = given[name] if name == each.name else not given[name]
    return record(**held)


def _model_field(entry: Entry) -> tuple[str, Any]:
    """Return the name of the field of a pydantic model for an option, with its type and `Field`."""
    held, most, told = entry.option, entry.option.most_served, entry.help
    if entry.names:
        return entry.name, (dict[str, str], Field(default_factory=dict, max_length=most, description=told))
    if entry.many:
        several: Any = list
        return entry.name, (several[entry.item], Field(default_factory=list, max_length=most, description=told))
    le = held.le if most is None else most
    return entry.name, (entry.type, Field(entry.default, ge=held.ge, gt=held.gt, le=le, description=told))


#: For each annotation: the accepted types, the function that converts a value, and the words for an error message.
#: Parameters with another annotation are not checked here.
_KINDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any], Any], str]] = {
    "int": (Integral, index, "a whole number"),
    "float": (Real, float, "a number"),
    "bool": (bool, bool, "True or False"),
    "str": (str, str, "a str"),
    "str | Path": ((str, Path), Path, "a path"),
    "Progress": (object, lambda given: _receiver(given), ""),
    "bool | Progress": (object, lambda given: given if isinstance(given, bool) else _receiver(given), ""),
}


def checked_arguments(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a method that first checks the arguments annotated as int, float, bool, str, path or Progress.

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
    kinds = {name: found for name, each in known.parameters.items() if (found := _kind_of(each)) is not None}

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


def _kind_of(parameter: Parameter) -> tuple[str, bool] | None:
    """Return a parameter's key in `_KINDS` and whether None is allowed; None for a parameter that is not checked."""
    written = parameter.annotation
    words = (written if isinstance(written, str) else formatannotation(written)).split(" | ")
    plain = " | ".join(word.rpartition(".")[2] for word in words if word != "None")
    return (plain, "None" in words) if plain in _KINDS else None


def _converted(name: str, value: Any, kind: str, optional: bool) -> Any:
    types, convert, wanted = _KINDS[kind]
    if value is None and optional:
        return None
    if isinstance(value, types) and (types in {bool, object} or not isinstance(value, bool)):
        return convert(value)
    wanted += " or None" if optional else ""
    remedy = "for several texts use ground_many or risk_many" if name == "text" else f"correct {name}"
    raise InputError(f"{name} = {shown(value)}, which is of type {type(value).__name__}", wanted, remedy)


def shown(value: object) -> str:
    """Return a value as text for a message, at most 60 characters long."""
    told = repr(value)
    return told if len(told) <= 60 else f"{told[:57]}..."


def _receiver(progress: object) -> object:
    """Return an object that can receive progress; raise InputError if it lacks a method of `Progress`."""
    names = [name for name in vars(Progress) if not name.startswith("_")]
    if isinstance(progress, type) or not all(callable(getattr(progress, name, None)) for name in names):
        wanted = f"an object with the methods {', '.join(names)}"
        raise InputError(f"progress = {shown(progress)}", wanted, "see truthhypo.Progress; for many texts use True")
    return progress
