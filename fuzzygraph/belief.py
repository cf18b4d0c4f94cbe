"""Fuzzy belief propagation over a small network of sources and claims (paper B, section 8).

    mu(C) <- mu(C) + alpha mu(S) (1 - mu(C))        for every S that supports C

This is noisy-or: each supporter multiplies 1 - mu(C) by 1 - alpha mu(S), so the order of a node's supporters does not
matter. The order of the nodes does matter: a supporter needs its final value first, so nodes are processed in
topological order. (In the paper's example, C2 -> C1 before S1 -> C2 would give 0.9272 instead of 0.9523.)

The paper prints 0.9516 for its example because it rounds 0.72 * 0.1704 to 0.122; exact arithmetic gives 0.952288.

A network with a cycle is refused, and the error names the cycle. Claims in a cycle would raise each other's belief
without any source. A fixed number of rounds, or a cut through the cycle, would give an arbitrary answer. The author of
the network knows which support is not independent and can remove it.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwork import chance
from groundwork.errors import InputError, fault_message
from groundwork.files import read_text
from groundwork.records import Record

_SHAPE = '{"alpha": 0.8, "nodes": {"S1": 0.7, "C1": 0.5}, "supports": [["S1", "C1"]]}'


class Network(BaseModel):
    """Sources and claims with their initial beliefs, and the supports between them.

    Attributes:
        alpha: Propagation strength, in (0, 1].
        nodes: Initial belief (membership mu) by name, in [0, 1].
        supports: Pairs (supporter, supported). A repeated pair counts once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alpha: float = Field(0.8, gt=0, le=1, strict=True, allow_inf_nan=False)
    nodes: dict[str, Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]]
    supports: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BeliefReport(Record):
    """Beliefs after propagation.

    Attributes:
        alpha: The propagation strength used.
        nodes: For each name, the belief `before` and `after` propagation. The names are in topological order.
        order: The nodes in the order in which they were processed.
    """

    alpha: float
    nodes: Mapping[str, Mapping[str, float]]
    order: tuple[str, ...]


def read_network(path: Path) -> Network:
    """Read a network from a JSON file.

    Raises:
        InputError: The file cannot be read, is not JSON, or has another structure.
    """
    try:
        text = read_text(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", "a JSON file such as " + _SHAPE, "check the path") from None
    try:
        return Network.model_validate(json.loads(text, object_pairs_hook=_once))
    except RecursionError:
        raise InputError(
            f"{path}: brackets nested too deep", "a document such as " + _SHAPE, "correct the file"
        ) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}: not JSON ({error.msg})", "a document such as " + _SHAPE, "correct that line"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        seen = f"{path}: {where}: {fault_message(first)}, not {json.dumps(first['input'])[:80]}"
        raise InputError(seen, "a document such as " + _SHAPE, "correct the file") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of a JSON object as a dict. A repeated name is refused instead of overwritten."""
    twice = next((name for name, count in Counter(name for name, _ in pairs).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{twice!r} twice in one object", "each name once", "remove one of them")
    return dict(pairs)


def propagate(network: Network) -> BeliefReport:
    """Compute the belief of every node from the final beliefs of its supporters.

    Raises:
        InputError: There are no nodes, a support names an unknown node, or the supports form a cycle.
    """
    if not network.nodes:
        raise InputError("a network without nodes", "at least one node, such as " + _SHAPE, "add the nodes")
    supporters: dict[str, set[str]] = {node: set() for node in network.nodes}
    for supporter, supported in network.supports:
        for node in (supporter, supported):
            if node not in supporters:
                raise InputError(f"support {supporter} -> {supported}: no node {node!r}", "known nodes", "add the node")
        supporters[supported].add(supporter)
    try:
        # Sorted, so that the report does not depend on the order in the file.
        order = tuple(TopologicalSorter({node: sorted(supporters[node]) for node in sorted(supporters)}).static_order())
    except CycleError as error:
        ring = " -> ".join(error.args[1])
        raise InputError(
            f"the supports form a cycle: {ring}",
            "supports without cycles, because a belief must be final before it supports another",
            "remove the support that is not independent",
        ) from None
    after: dict[str, float] = {}
    for node in order:
        lent = (network.alpha * after[supporter] for supporter in sorted(supporters[node]))
        after[node] = chance.noisy_or([network.nodes[node], *lent])
    report = {node: {"before": network.nodes[node], "after": after[node]} for node in order}
    return BeliefReport(network.alpha, report, order)
