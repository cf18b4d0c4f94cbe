"""Sentences for people, made from the templates in reasons.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from groundwork.records import Hop, split_key
from knowhd.evidence.pieces import Edge

#: Relations in which a disease is acted on by a chemical, a gene or a variant.
DONE_TO_DISEASES = frozenset({"cause", "prevent", "treat"})


@lru_cache(maxsize=1)
def _templates() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("knowhd").joinpath("reasons.toml").read_text("utf-8"))


def say(section: str, name: str, **words: object) -> str:
    """Return a template of reasons.toml with its words filled in."""
    return _templates()[section][name].format(**words)


def ends(edge: Edge | Hop) -> tuple[str, str]:
    """Return the keys of an edge's ends in the order in which its relation is read.

    Edges have no direction, so ends are in canonical order. For `cause`, `prevent` and `treat`, a disease comes last.
    """
    kinds = split_key(edge.head)[0], split_key(edge.tail)[0]
    turned = edge.relation in DONE_TO_DISEASES and kinds[0] == "Disease" != kinds[1]
    return (edge.tail, edge.head) if turned else (edge.head, edge.tail)


def related(edge: Edge | Hop, names: Mapping[str, str]) -> str:
    """Return an edge in words, given the names of concepts by key: "cisplatin causes nephrotoxicity"."""
    first, last = (names.get(end, end) for end in ends(edge))
    verb = _templates()["relations"].get(edge.relation, edge.relation.replace("_", " "))
    return f"{first} {verb} {last}"


def listed(words: Sequence[str], joint: str) -> str:
    """Return words as a list: "A, B and C" with the joint "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"
