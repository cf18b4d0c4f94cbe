"""Resolve and check the values that a user gave: concepts, PMIDs and choices."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast
from warnings import warn

import cypher
from groundwork.errors import DamagedStore, InputError, OtherOrganism, StoreError, UnfitText, UnknownConcept
from groundwork.organisms import HUMAN, described, distinct_name, organism_name, organism_of, without_organism
from groundwork.ports import GraphReader, Literature, LiteratureReader
from groundwork.readable import broken
from groundwork.records import Concept, Match, split_key
from groundwork.vocabulary import TYPES


def resolve(graph: GraphReader, text: str) -> str:
    """Return the key of the concept that a key, an id or a name refers to.

    Args:
        graph: Store of the concepts.
        text: A key (`Gene|7157`), the id of a key (`MESH:D008687`) or a name (`p53`, in any case).

    Raises:
        UnknownConcept: The graph has no concept with this key, id or name. The error lists the nearest ones.
        InputError: Several concepts share the id or name; the error lists these concepts. Or the text is not valid
            Unicode.
    """
    if broken(text):
        raise InputError(f"the concept {text!r} contains bytes that are not UTF-8", "valid Unicode", "correct the text")
    if split_key(text)[0] in TYPES and "|" in text:
        if text in graph.concepts([text]):
            return text
        graph.chains(text, text, hops=1, limit=0)  # raises the error, because the store knows the nearest keys
        raise UnknownConcept(text)
    if held := graph.concepts([f"{kind}|{text}" for kind in sorted(TYPES)]):
        return _only_key(text, list(held.values()))
    found = graph.find(text)
    exact = [match for match in found.concepts if match.how != "fuzzy"]
    if not exact:
        near = tuple(f"{match.key}: {described(match)}" for match in found.concepts[:5])
        raise UnknownConcept(text, near, organism_name(graph.species))
    best = [match for match in exact if match.score == exact[0].score]
    if found.ambiguous:
        return _only_key(text, best)
    taxon = organism_of(exact[0])
    if taxon not in {None, graph.species or HUMAN} and exact[0].how != "key" and not _tells_organism(text):
        seen = f"{text!r} means {exact[0].key}: {described(exact[0])}; no human gene in the graph has this name"
        warn(OtherOrganism(seen), stacklevel=2)
    return exact[0].key


def _tells_organism(name: str) -> bool:
    """Return whether a name begins with an organism, or is written like a symbol of rodents' genes."""
    return without_organism(name) is not None or (name[:1].isupper() and name[1:2].islower())


def _only_key(text: str, concepts: Sequence[Concept | Match]) -> str:
    """Return the key of the only concept. Raise InputError if there are several."""
    if len(concepts) > 1:
        told = ", ".join(f"{concept.key}: {described(concept)}" for concept in concepts)
        raise InputError(f"{text!r} names several concepts: {told}", "one concept", "give one of these keys")
    return concepts[0].key


def cited_pmids(given: Iterable[int | str | float]) -> tuple[int, ...]:
    """Return distinct PMIDs, in their order, from numbers and texts such as `12345`, `PMID: 12345` or `12345.2`.

    A version (`.2`) is dropped, because the literature holds only the latest one.

    Raises:
        UnfitText: A value is no PMID.
    """
    found: dict[int, None] = {}
    for value in given:
        read = re.fullmatch(r"(?:pmid)?[\s:]*([1-9][0-9]{0,9})(?:\.[0-9]+)?", str(value).strip(), re.IGNORECASE)
        if read is None or isinstance(value, bool | float):
            raise UnfitText(
                f"the PMID {value!r}", "a number of at most 10 digits, such as 12345 or PMID: 12345", "correct the PMID"
            )
        found[int(read[1])] = None
    return tuple(found)


def meanings(graph: GraphReader, concepts: Mapping[str, str] | None) -> dict[str, str]:
    """Return the meaning of names in a text: a mapping from each name to the key of its concept.

    Args:
        graph: The graph that contains the concepts.
        concepts: Mapping from each name to the key, id or name of its concept, as for `resolve`. None means no names.

    Raises:
        InputError: A name has no letters or digits, `concepts` is not a mapping of texts, or `resolve` raises it.
        UnknownConcept: The graph has no concept with a key, id or name in `concepts`.
    """
    given = {} if concepts is None else concepts
    if not isinstance(given, Mapping) or not all(isinstance(each, str) for pair in given.items() for each in pair):
        raise InputError(f"concepts = {concepts!r}", "keys of concepts by name", "give {'PSA': 'Gene|354'}")
    if nameless := next((name for name in given if not any(map(str.isalnum, name))), None):
        raise InputError(
            f"the name {nameless!r} for {given[nameless]}", "a name with letters or digits", "correct the name"
        )
    return {name: resolve(graph, key) for name, key in given.items()}


class _Named(Protocol):
    """A record that contains keys of concepts, and the names of these concepts."""

    @property
    def names(self) -> Mapping[str, str]: ...

    def keys(self) -> frozenset[str]: ...


NamedRecord = TypeVar("NamedRecord", bound=_Named)


def named(graph: GraphReader, record: NamedRecord) -> NamedRecord:
    """Return a record with the names of its concepts, as `distinct_name`; tables and pictures show them."""
    held = graph.concepts(sorted(record.keys()))
    changed: NamedRecord = replace(
        cast("Any", record), names={key: distinct_name(concept) for key, concept in held.items()}
    )
    return changed


def known_names(address: str, graph: Callable[[], GraphReader], keys: Collection[str]) -> dict[str, str]:
    """Return the names of concepts by key, as far as they are known; an empty dict if the graph cannot be read.

    Args:
        address: Address of the graph. If no graph is there, `graph` is not called, to avoid a warning.
        graph: Function that opens the graph store.
        keys: Keys of concepts.
    """
    if not keys or not cypher.is_there(address):
        return {}
    try:
        return {key: distinct_name(concept) for key, concept in graph().concepts(sorted(keys)).items()}
    except StoreError:
        return {}


def readable(literature: Callable[[], Literature]) -> tuple[Literature | None, str]:
    """Return the literature if it holds documents. This is for commands that can do without a literature.

    Args:
        literature: Function that opens the literature store.

    Returns:
        The literature and "", or None and the reason: the literature holds no documents or cannot be read.

    Raises:
        DamagedStore: A file of the store is missing or was changed by another program.
    """
    try:
        store = literature()
        if store.info().documents:
            return store, ""
        return None, f"the literature at {store.address} holds no documents"
    except DamagedStore:
        raise
    except StoreError as error:
        return None, f"the literature cannot be read: {error.seen}"


def unfinished_loads(*stores: GraphReader | LiteratureReader) -> tuple[str, ...]:
    """Return the unfinished loads of these stores, each as `SOURCE:ID`."""
    found = (release for store in stores for release in store.releases() if release.state == "loading")
    return tuple(dict.fromkeys(f"{release.source}:{release.id}" for release in found))


def dated(before: int | None) -> None:
    """Check that a PMID limit is valid.

    Raises:
        InputError: The limit is less than 1.
    """
    if before is not None and before < 1:
        raise InputError(
            f"before = {before}", "a PMID, 1 or more, or None for all", "give the largest PMID that may be used"
        )


def checked(what: str, value: str, choices: tuple[str, ...]) -> None:
    """Check that a value is one of the choices.

    Raises:
        InputError: The value is not one of the choices.
    """
    if value not in choices:
        raise InputError(f"{what} {value!r}", f"one of {', '.join(choices)}", "choose one of these")
