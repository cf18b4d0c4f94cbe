"""From what a person types to a concept of the graph, or to one of a few choices."""

from collections.abc import Callable

from groundwork.errors import DamagedStore, InputError, StoreError, UnknownConcept
from groundwork.ports import GraphReader, Literature
from groundwork.records import split_key
from groundwork.vocabulary import TYPES


def resolve(graph: GraphReader, text: str) -> str:
    """The key of the concept that a key or a name means.

    Args:
        graph: Where to look.
        text: A key (`Gene|7157`) or a name (`p53`, any case).

    Raises:
        UnknownConcept: Neither; names the nearest.
        InputError: A name that several concepts share, naming them.
    """
    if split_key(text)[0] in TYPES and "|" in text:
        if text in graph.concepts([text]):
            return text
        graph.chains(text, text, hops=1, limit=0)  # raises, as the store knows the nearest keys
        raise UnknownConcept(text)
    found = graph.find(text)
    exact = [match for match in found.concepts if match.how != "fuzzy"]
    if not exact:
        raise UnknownConcept(text, tuple(f"{match.key} ({match.name})" for match in found.concepts[:5]))
    if found.ambiguous:
        best = [f"{match.key} ({match.name})" for match in exact if match.score == exact[0].score]
        raise InputError(f"{text!r} names several concepts: {', '.join(best)}", "one concept", "give its key instead")
    return exact[0].key


def readable(literature: Callable[[], Literature]) -> Literature | None:
    """A literature that holds something, None if it is empty, not there or not reachable: for what can do without.

    Args:
        literature: Opens it.

    Raises:
        DamagedStore: A file of it is missing or was changed from outside.
    """
    try:
        store = literature()
        return store if store.info().documents else None
    except DamagedStore:
        raise
    except StoreError:
        return None


def dated(before: int | None) -> None:
    """See that a cut can be one.

    Raises:
        InputError: It is no PMID.
    """
    if before is not None and before < 1:
        raise InputError(
            f"before = {before}", "a PMID, 1 or more, or None for all", "give the PMID of the last article"
        )


def checked(what: str, value: str, choices: tuple[str, ...]) -> None:
    """See that a value is one of the choices.

    Raises:
        InputError: It is none of them.
    """
    if value not in choices:
        raise InputError(f"{what} {value!r}", f"one of {', '.join(choices)}", "choose one of them")
