"""A reference for chains: walk, score and sort every simple path. It shares no code with the stores."""

from itertools import pairwise
from math import exp, sqrt


def paths(edges, similar, head, tail, hops, before, rank, alpha):
    """Return [(score, keys, kinds)] in the order that GraphReader.chains promises.

    Args:
        edges: Relations, PMIDs ascending.
        similar: {(a, b): largest cosine}, or None if similarity edges are not used.
    """
    steps = _steps(edges, similar or {}, before, alpha)  # (a, b) -> {kind: belief}
    degree = {}
    for a, _, kind in ((*ends, kind) for ends, kinds in steps.items() for kind in kinds):
        degree[a, kind] = degree.get((a, kind), 0) + 1
    found = []

    def walk(keys, kinds, score):
        if keys[-1] == tail:
            found.append((1 / len(kinds) if rank == "hops" else score, keys, kinds))
        elif len(kinds) < hops:
            for (a, b), beliefs in steps.items():
                if a == keys[-1] and b not in keys:
                    for kind, belief in beliefs.items():
                        damped = 1 / sqrt(degree[a, kind] * degree[b, kind])
                        walk((*keys, b), (*kinds, kind), score * (damped if rank == "dwpc" else belief))

    if head != tail:
        walk((head,), (), 1.0)
    rounded = [(float(f"{score:.12g}"), keys, kinds) for score, keys, kinds in found]
    return sorted(rounded, key=lambda path: (-path[0], len(path[2]), path[1], path[2]))


def _steps(edges, similar, before, alpha):
    steps = {}
    for edge in edges:
        n = len([p for p in edge.pmids if before is None or p <= before])
        if n and edge.head != edge.tail:
            for ends in ((edge.head, edge.tail), (edge.tail, edge.head)):
                steps.setdefault(ends, {})[edge.relation] = 1 - (0.05 + 0.3**n)
    for (one, other), cosine in similar.items():
        for ends in ((one, other), (other, one)):
            steps.setdefault(ends, {})["similar_to"] = alpha / (1 + exp(-cosine))
    return steps


def shape(chain):
    """Return a chain as (score, keys, kinds)."""
    keys = (chain.hops[0].head, *(hop.tail for hop in chain.hops))
    assert all(one.tail == other.head for one, other in pairwise(chain.hops))
    return chain.score, keys, tuple(hop.relation for hop in chain.hops)


def linked(edges, similar, before):
    """Return (a, b, kind) of every link that exists under the PMID cut, without self-relations."""
    there = {
        (e.head, e.tail, e.relation) for e in edges if e.head != e.tail and (before is None or e.pmids[0] <= before)
    }
    return there | {(*pair, "similar_to") for pair in similar or ()}


def on_walks(links, head, tail, hops):
    """Return the links (a, b, kind) on a walk of at most `hops` links, found by trying all walks."""
    found = set()

    def walk(at, passed):
        if at == tail:
            found.update(passed)
        if len(passed) < hops:
            for link in links:
                if at in link[:2]:
                    walk(link[1] if link[0] == at else link[0], [*passed, link])

    walk(head, [])
    return found
