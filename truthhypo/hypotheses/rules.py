"""Answer from the context alone: sign rules over chains, then co-occurrence. Deterministic; no language model."""

from groundwork.chance import noisy_or, series
from groundwork.polarity import relation_sign
from groundwork.records import Chain
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.tasks import NO_RELATION, Task

NAME = "rules (deterministic, not a language model)"


def answer(task: Task, context: Context) -> Candidate:
    """The label that the context's evidence speaks for, and why.

    1. Chains whose hops all have a sign speak for the product of their signs, each with the product of its beliefs;
       noisy-or per sign, the heavier side wins.
    2. Otherwise a direct edge without a sign says that there is a relation: the task's default label.
    3. Otherwise an abstract whose text names both concepts says the same.
    4. Otherwise `no_relation`.
    """
    chains = context.chains.chains if context.chains else ()
    weight = {sign: noisy_or(_belief(chain) for chain in chains if _sign(chain) == sign) for sign in (1, -1)}
    if weight[1] != weight[-1]:
        label = task.positive if weight[1] > weight[-1] else task.negative
        counts = {sign: sum(_sign(chain) == sign for chain in chains) for sign in (1, -1)}
        return Candidate(
            label,
            f"{counts[1]} chains with a positive sign (noisy-or {weight[1]:.4f}) and {counts[-1]} with a negative one "
            f"(noisy-or {weight[-1]:.4f}) connect {context.head} and {context.tail}.",
        )
    direct = [chain for chain in chains if len(chain.hops) == 1]
    if direct:
        names = ", ".join(chain.hops[0].relation for chain in direct)
        return Candidate(
            task.default,
            f"{context.head} and {context.tail} are connected directly ({names}) and no side of the signs is heavier; "
            f"{task.default} is the more frequent label of {task.name}.",
        )
    pmids = cooccurring(context)
    if pmids:
        return Candidate(
            task.default,
            f"{context.head} and {context.tail} occur together in PMID {', '.join(map(str, pmids))}; "
            f"{task.default} is the more frequent label of {task.name}.",
        )
    return Candidate(
        NO_RELATION,
        f"No signed chain, no direct edge and no abstract in the context connects {context.head} and {context.tail}.",
    )


def _sign(chain: Chain) -> int:
    sign = 1
    for hop in chain.hops:
        sign *= relation_sign(hop.relation)
    return sign


def _belief(chain: Chain) -> float:
    return series(hop.belief for hop in chain.hops)


def cooccurring(context: Context) -> list[int]:
    """PMIDs of passages that hold both names, ignoring case."""
    head, tail = context.head.casefold(), context.tail.casefold()
    return [
        p.pmid
        for p in context.passages or ()
        if head in (text := f"{p.title} {p.abstract}".casefold()) and tail in text
    ]
