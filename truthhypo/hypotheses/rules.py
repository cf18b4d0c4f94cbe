"""Answer questions from the context by deterministic rules: signs of chains, then co-occurrence in abstracts."""

from groundwork.chance import noisy_or, series
from groundwork.compiled import twelve
from groundwork.records import Chain
from groundwork.records.base import counted
from literature.analysis import tokens
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.tasks import Task


def answer(task: Task, context: Context) -> Candidate:
    """Return the label that the context's evidence supports, and the reason. Chains beyond the context are not weighed.

    1. The sign of a chain is the product of the signs of its hops, and its weight is the product of their beliefs. The
       weights of all chains of the same sign are combined by noisy-or (12 significant digits). The sign with the
       larger weight gives the label. Chains with an unsigned hop have no sign and are ignored.
    2. If no sign prevails, but the context connects the two concepts by chains of both signs, by a direct edge or by an
       abstract that names both, there is no label: the two are related, and nothing tells how.
    3. Otherwise the label is that of unrelated pairs.
    """
    known, ends = context.chains, f"{context.head} and {context.tail}"
    chains = known.chains if known else ()
    weight = {sign: twelve(noisy_or(_belief(chain) for chain in chains if chain.sign == sign)) for sign in (1, -1)}
    signed, direct = any(chain.sign for chain in chains), [chain for chain in chains if len(chain.hops) == 1]
    seen = []
    if signed:
        among = f"Among the {len(chains)} best of {known.total} chains, " if known and known.truncated else ""
        sides = (
            f"{counted(sum(chain.sign == sign for chain in chains), 'chain')} with a {name} sign "
            f"(noisy-or {weight[sign]:.4f})"
            for sign, name in ((1, "positive"), (-1, "negative"))
        )
        seen.append(f"{among}{' and '.join(sides)} connect {ends}.")
    if weight[1] != weight[-1]:
        return Candidate(task.positive if weight[1] > weight[-1] else task.negative, seen[0])
    if direct:
        edges = "A direct edge" if len(direct) == 1 else f"{len(direct)} direct edges"
        names = ", ".join(chain.hops[0].relation for chain in direct)
        seen.append(f"{edges} ({names}) connect{'s' * (len(direct) == 1)} {ends}.")
    if pmids := cooccurring(context):
        number = f"{counted(len(pmids), 'abstract')} name{'s' * (len(pmids) == 1)}"
        seen.append(f"{number} both {ends} (PMID {', '.join(map(str, pmids))}).")
    if seen:
        return Candidate(None, " ".join(["No sign prevails.", *seen]))
    nothing = "No direct edge, no chain with a sign and no abstract in the context connects"
    return Candidate(task.unrelated, f"{nothing} {ends}.")


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
