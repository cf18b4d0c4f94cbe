"""The judge by rules where no two concepts were found in a claim: the literature by wording alone.

What is shown of an article is read together, and the article speaks once, through the sentence that shares most with
the claim. No graph is asked: an edge needs two ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from groundwork.quoted import quoted
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.judge import CONTRARY, Judgement, Source, Stance, weigh, without_evidence
from knowhd.rules import populations
from knowhd.rules.assertion import meanings
from knowhd.rules.conditional import Demand, demands
from knowhd.rules.decision import Decision, Tables, decide
from knowhd.rules.features import Features, features
from knowhd.rules.framing import bare
from knowhd.rules.nouns import between
from knowhd.rules.subject import Subject, subject_of

_NO_EDGE = "It names fewer than two concepts of the graph, so no edge bears on it."
_BY_WORDING = "Read by its wording alone, since fewer than two concepts were found in it; such verdicts are weak"
#: Articles named in a reason.
_NAMED = 3


def worded(claim: Claim, evidence: Evidence, tables: Tables | None = None) -> dict[Source, Judgement]:
    """One judgement per source on a claim with fewer than two concepts; for `tables` see `decide`."""
    graph = Judgement("not_enough", _NO_EDGE, {})
    if not evidence.literature:
        none = {source: without_evidence(source) for source in ("literature", "both")}
        return {"graph": graph, "literature": none["literature"], "both": none["both"]}
    demanded, subject = demands(claim), subject_of(claim)
    read = _decisions(claim, evidence.literature, tables, demanded, subject)
    decided = {passage.id: (passage, decision) for passage, decision, _ in read}
    stances = {key: decision.stance for key, (_, decision) in decided.items() if decision.stance}
    told = [
        f"PMID {p.pmid} {d.stance} ({d.probabilities[d.stance]:.2f}: {'; '.join(d.because)})"
        for p, d in decided.values()
        if d.stance
    ]
    found = ", ".join(told[:_NAMED]) or f"none of {len(decided)} articles bears on it"
    named = " and ".join(quoted(demand.text) for demand in demanded)
    held = (
        f" It is claimed under a condition ({named}): articles that do not speak of it decide nothing." if named else ""
    )
    more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    held += _missing(subject, evidence.literature)
    if swapped := sum(elsewhere for _, _, elsewhere in read):
        held += f" {swapped} of {len(read)} articles say nearly the same of something else: these decide nothing."
    judgement = weigh(
        evidence.literature, stances, f"{_BY_WORDING}{_weak(d for _, d in decided.values())}. {found}{more}.{held}"
    )
    sure = Judgement(
        judgement.verdict,
        judgement.reason,
        judgement.stances,
        judgement.mixed,
        {key: decision.probabilities for key, (_, decision) in decided.items()},
    )
    return {"graph": graph, "literature": sure, "both": sure}


def _missing(subject: Subject, passages: Sequence[Passage]) -> str:
    """What the reason says of the subject of a claim that articles do not name; empty where all do."""
    if subject.open:
        return f" What {quoted(subject.text)} stands for is not said in it, so no article decides it."
    articles = [tuple(group) for _, group in groupby(passages, key=lambda passage: passage.pmid)]
    silent = sum(not subject.named_by(shown) for shown in articles)
    told = f"which {silent} of {len(articles)} articles do not name: these decide nothing."
    mute = sum(not subject.told_of_by(shown) for shown in articles) if not silent else 0
    if mute:
        told = f"and {mute} of {len(articles)} articles name nothing of what it says of that: these do not refute it."
    return f" It is about {quoted(subject.text)}, {told}" if silent or mute else ""


def _weak(decisions: Iterable[Decision]) -> str:
    """How often such stances were right where people judged too, the least of what bears on the claim."""
    shares: dict[Stance, float] = {}
    for decision in decisions:
        if decision.stance and decision.right is not None:
            shares[decision.stance] = min(decision.right, shares.get(decision.stance, 1.0))
    told = " and ".join(f"{share:.2f} of those that said {stance}" for stance, share in sorted(shares.items()))
    return f": on labelled pairs {told} were right" if told else ""


def _decisions(
    claim: Claim,
    passages: Sequence[Passage],
    tables: Tables | None,
    demanded: Sequence[Demand],
    subject: Subject,
) -> list[tuple[Passage, Decision, bool]]:
    """The sentence that each article speaks by, what it says, and whether it says so of something else."""
    decided, (plain, turned), said = [], bare(claim.text), between(claim)
    for _, group in groupby(passages, key=lambda passage: passage.pmid):
        shown = tuple(group)
        found = features(plain, [passage.sentence for passage in shown])
        if not bears(claim, shown, found):
            continue
        named = subject.named_by(shown)
        made = decide(found, tables, named=named)
        by, made = shown[found.closest], _turned(made) if turned else made
        read = said.read_in(shown, tables) if said else None
        if read:
            decided.append((*read, False))
            continue
        elsewhere = subject.swapped_by(shown, found)
        spoken = all(demand.spoken_of([passage.sentence for passage in shown]) for demand in demanded)
        # To speak against a claim an article must name what it says of its subject; likeness alone may bear it out.
        told = made.stance != "contradicts" or subject.told_of_by(shown)
        told = told and (said is None or said.met_in(shown, subject.rest))
        sided = spoken and told and not elsewhere and not populations.others(claim.text, by)
        # It takes no side else; its probabilities stay those of its wording.
        held = made if sided else replace(made, stance=None, right=None)
        decided.append((by, held, elsewhere))
    return decided


def _turned(decision: Decision) -> Decision:
    """The decision on the denial of what was decided on."""
    sure, turns = decision.probabilities, CONTRARY
    stance = turns[decision.stance] if decision.stance else None
    return replace(decision, stance=stance, probabilities={turns[each]: share for each, share in sure.items()})


def bears(claim: Claim, shown: Sequence[Passage], found: Features) -> bool:
    """Whether an article speaks of the one concept of a claim, where it has one, and of something else in it."""
    named = [mention for mention in claim.mentions if mention.key]
    if not named:
        return True
    there = {key for passage in shown for mention in passage.mentions for key in meanings(mention)}
    names = " ".join(mention.text for mention in named).lower()
    others = [word for word in found.words if word.lower() not in names]
    return any(mention.key in there for mention in named) and bool(others)
