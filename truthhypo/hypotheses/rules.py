"""Answer questions from the context by deterministic rules: signs of chains, then co-occurrence in abstracts."""

from groundwork.chance import noisy_or, series
from groundwork.digits import twelve
from groundwork.records import Chain
from literature.analysis import tokens
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.tasks import NO_RELATION, Task

NAME = "rules (deterministic, not a language model)"


def answer(task: Task, context: Context) -> Candidate:
    """Return the label that the context's evidence supports, and the reason. Chains beyond the context are not weighed.

    1. The sign of a chain is the product of the signs of its hops, and its weight is the product of their beliefs. The
       weights of all chains of the same sign are combined by noisy-or (12 significant digits). The sign with the
       larger weight gives the label. Chains with an unsigned hop have no sign and are ignored.
    2. If the weights are equal, a direct edge gives the task's default label.
    3. Without a direct edge, an abstract that names both concepts gives the default label too.
    4. Without such an abstract, the label is `no_relation`.
    """
    known = context.chains
    chains = known.chains if known else ()
    weight = {sign: twelve(noisy_or(_belief(chain) for chain in chains if chain.sign == sign)) for sign in (1, -1)}
    if weight[1] != weight[-1]:
        label = task.positive if weight[1] > weight[-1] else task.negative
        counts = {sign: sum(chain.sign == sign for chain in chains) for sign in (1, -1)}
        among = f"Among the {len(chains)} best of {known.total} chains, " if known and known.truncated else ""
        return Candidate(
            label,
            f"{among}{counts[1]} chains with a positive sign (noisy-or {weight[1]:.4f}) and {counts[-1]} with a "
            f"negative one (noisy-or {weight[-1]:.4f}) connect {context.head} and {context.tail}.",
        )
    direct = [chain for chain in chains if len(chain.hops) == 1]
    if direct:
        names = ", ".join(chain.hops[0].relation for chain in direct)
        return Candidate(
            task.default,
            f"{context.head} and {context.tail} are directly connected ({names}); neither sign outweighs the other; "
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
        f"No direct edge and no abstract in the context connects {context.head} and {context.tail}, and neither sign "
        "outweighs the other in its chains.",
    )


def _belief(chain: Chain) -> float:
    return series(hop.belief for hop in chain.hops)


def cooccurring(context: Context) -> list[int]:
    """Return the PMIDs of passages that contain both names, compared word by word as a search compares them."""
    names = _words(context.head), _words(context.tail)
    texts = {p.pmid: _words(f"{p.title} {p.abstract}") for p in context.passages or ()}
    return [pmid for pmid, text in texts.items() if all(name in text for name in names)]


def _words(text: str) -> str:
    """Return the search tokens of a text, each between two blanks."""
    return f" {' '.join(tokens(text))} "
