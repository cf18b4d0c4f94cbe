"""A proposed relation for a pair of concepts: the knowledge that a model is given, its answers, and the chosen answer.

The knowledge is chains from the graph and abstracts from the literature (paper A, 2.2).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from groundwork.llm.usage import Usage
from groundwork.network import ArticleMask
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Abstract, Chain, Chains, Concept, Record, walk
from groundwork.records.base import listed
from knowhd.calibration import Calibration
from truthhypo.hypotheses.options import Task
from truthhypo.lookups import named

if TYPE_CHECKING:
    from pandas import DataFrame

#: The name by which the rules sign their hypotheses.
RULES = "rules (deterministic, not a language model)"
#: The columns, in order.
HYPOTHESIS_COLUMNS = (
    "head",
    "head_name",
    "tail",
    "tail_name",
    "task",
    "setting",
    "relation",
    "rationale",
    "groundedness",
    "contradicted",
    "candidates",
    "chains",
    "articles",
    "model",
)
#: For each outcome that is no relation, the kind of statement as which a notebook shows it (`groundwork.pictures`).
KINDS = {"undecided": "not_enough", "failed": "error"}
#: Maximum number of chains shown to a model. Further chains are only counted.
CHAINS = 32


def outcome(relation: str | None, model: str) -> str:
    """Return the relation of a hypothesis by a model, or why there is none: `undecided` by the rules, else `failed`."""
    return relation or ("undecided" if model == RULES else "failed")


def hypothesis_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of a hypothesis. `candidates`, `chains` and `articles` are counts, or None if not in the record.

    Args:
        record: A hypothesis as `Hypothesis.to_dict` returns it, or the record of a pair that could not be judged.
    """
    context, candidates = record.get("context") or {}, record.get("candidates") or ()
    chosen: Mapping[str, Any] = next((each for each in candidates if each["relation"] == record.get("relation")), {})
    row = {name: record.get(name) for name in HYPOTHESIS_COLUMNS}
    yield row | {
        "head_name": context.get("head"),
        "tail_name": context.get("tail"),
        "groundedness": chosen.get("groundedness"),
        "contradicted": chosen.get("contradicted"),
        "candidates": len(candidates) if candidates else None,
        "chains": context["chains"]["total"] if context.get("chains") else None,
        "articles": len(context["passages"]) if context.get("passages") is not None else None,
    }


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A retrieved abstract: PMID, title and text, the BM25 score, and whether the article was retracted."""

    pmid: int
    title: str
    abstract: str
    score: float
    retracted: bool


@dataclass(frozen=True, slots=True)
class Context(Record):
    """The knowledge about a pair of concepts that a model is given.

    Attributes:
        head: Name of the first concept.
        tail: Name of the second concept.
        chains: Chains between the two concepts; None if the setting does not use the graph.
        passages: Abstracts about the two concepts; None if the setting does not use the literature.
        text: Chains and abstracts as the text that the model is shown.
    """

    head: str
    tail: str
    chains: Chains | None
    passages: tuple[Passage, ...] | None
    text: str


def gather(
    task: Task,
    names: GraphReader,
    graph: GraphReader | None,
    literature: LiteratureReader | None,
    before: int | None,
    hops: int,
    k: int,
    exclude_retracted: bool,
    without: ArticleMask | None = None,
) -> Context:
    """Collect the knowledge about a pair of concepts from the given stores.

    Args:
        task: The task with the pair of concepts.
        names: Store with the names of the two concepts. The names are part of the question in every setting.
        graph: Store of chains; None for no chains.
        literature: Store of abstracts; None for no abstracts.
        before: Use only knowledge with a PMID up to this one, in graph and literature.
        hops: Maximum number of edges in a chain.
        k: Maximum number of articles.
        exclude_retracted: Ignore retracted articles when abstracts are searched.
        without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
    """
    concepts = names.concepts([task.head, task.tail])
    head, tail = concepts[task.head], concepts[task.tail]
    chains = None
    if graph:
        chains = named(names, chains_between(graph, task, hops, before, without))
    query = f"{head.name} {tail.name}"
    passages = passages_on(literature, query, before, k, exclude_retracted) if literature else None
    return told(head.name, tail.name, names, chains, passages)


def chains_between(
    graph: GraphReader, task: Task, hops: int, before: int | None, without: ArticleMask | None
) -> Chains:
    """Return the best `CHAINS` chains between the concepts of a task, with all direct edges among them.

    An edge with few articles scores less than many longer chains. It would be left out of the context without this
    rule, and then the answer to a stated relation could be `no_relation`.
    """
    best = graph.chains(task.head, task.tail, hops=hops, before=before, limit=CHAINS, without=without)
    if not best.truncated:
        return best
    direct = graph.chains(task.head, task.tail, hops=1, before=before, limit=CHAINS, without=without).chains
    longer = [chain for chain in best.chains if len(chain.hops) > 1][: CHAINS - len(direct)]
    return replace(best, chains=tuple(sorted((*direct, *longer), key=lambda chain: -chain.score)))


def told(
    head: str, tail: str, names: GraphReader, chains: Chains | None, passages: tuple[Passage, ...] | None
) -> Context:
    """Return chains and abstracts as a context, with the text that a model is shown.

    Args:
        head: Name of the first concept.
        tail: Name of the second concept.
        names: Store with the names of the concepts on chains.
        chains: Chains between the concepts; None if the setting does not use the graph.
        passages: Abstracts about the concepts; None if the setting does not use the literature.
    """
    text = "\n\n".join(part for part in (_chains_text(chains, names), _passages_text(passages)) if part)
    return Context(head, tail, chains, passages, text)


def passages_on(
    literature: LiteratureReader, query: str, before: int | None, k: int, exclude_retracted: bool
) -> tuple[Passage, ...]:
    """Return the abstracts that a query finds, best first."""
    hits = literature.search(query, k=k, before=before, exclude_retracted=exclude_retracted).hits
    abstracts: dict[int, Abstract] = literature.get([hit.pmid for hit in hits])
    return tuple(
        Passage(hit.pmid, hit.title, abstracts[hit.pmid].text.abstract, hit.score, hit.retracted)
        for hit in hits
        if hit.pmid in abstracts
    )


def _chains_text(chains: Chains | None, names: GraphReader) -> str:
    if chains is None:
        return ""
    if not chains.chains:
        return "Knowledge graph: no chain between the two concepts."
    keys = {key for chain in chains.chains for hop in chain.hops for key in (hop.head, hop.tail)}
    known = names.concepts(keys)
    lines = [f"Knowledge graph: {len(chains.chains)} of {chains.total} chains between the two concepts, best first."]
    lines += [_chain_text(chain, known) for chain in chains.chains]
    return "\n".join(lines)


def _chain_text(chain: Chain, known: dict[str, Concept]) -> str:
    """Return a chain as text: `- metformin (Chemical) -treat- type 2 diabetes (Disease) [12 articles]`."""
    first = known[chain.hops[0].head]
    steps = [f"- {first.name} ({first.type})"]
    for hop in chain.hops:
        end = known[hop.tail]
        steps.append(f"-{hop.relation}- {end.name} ({end.type}) [{hop.articles} articles]")
    return " ".join(steps)


def _passages_text(passages: tuple[Passage, ...] | None) -> str:
    if passages is None:
        return ""
    if not passages:
        return "Literature: no abstract found."
    lines = [f"Literature: {len(passages)} abstracts, best first."]
    lines += [
        f"- PMID {p.pmid}{' (RETRACTED)' if p.retracted else ''}: {p.title} {p.abstract}".rstrip() for p in passages
    ]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """One answer to the question how two concepts are related.

    Attributes:
        relation: A label of the task; None if the model's reply failed, or if no sign prevails for the rules.
        rationale: The reason that the model or the rules give for the answer, or the reason why there is
            no answer.
        groundedness: Share of the judged claims in rationale and answer that graph and literature together support;
            None if the groundedness was not requested or no claim could be judged.
        contradicted: Share of the judged claims that graph and literature together contradict; None in the same cases
            as `groundedness`.
        claims_judged: Number of judged claims; None if the groundedness was not requested.
    """

    relation: str | None
    rationale: str
    groundedness: float | None = None
    contradicted: float | None = None
    claims_judged: int | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis(Record):
    """The chosen answer, the knowledge on which it is based, and all candidates.

    Attributes:
        head: Key of the first concept.
        tail: Key of the second concept.
        task: Name of the task.
        setting: Kind of knowledge that the model was given: `parametric` (none), `kg`, `lit` or `kg+lit`.
        relation: The chosen label; None if every candidate failed, or if no sign prevails for the rules.
        rationale: The rationale of the chosen answer, or the reason why there is no answer.
        context: The knowledge that the model was given.
        candidates: All answers, in the order in which they were made.
        select: How the answer was chosen: `greedy`, `majority` or `groundedness` (see `generate.choose`).
        model: Name of the model or rules that answered.
        usage: Usage of the language model (`groundwork.ports.model`); all 0 with the rules.
        calibration: How good the judge of the candidates is, measured on labelled pairs; None if nothing was judged or
            the judge was not measured.

    Example:
        >>> world.hypothesize("simvastatin", "HMGCR").to_frame()["head_name"].tolist()
        ['Simvastatin']
    """

    head: str
    tail: str
    task: str
    setting: str
    relation: str | None
    rationale: str
    context: Context
    candidates: tuple[Candidate, ...]
    select: str
    model: str
    usage: Usage
    calibration: Calibration | None = None

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with one row and the columns `HYPOTHESIS_COLUMNS`."""
        from pandas import DataFrame

        return DataFrame(list(hypothesis_rows(self.to_dict())), columns=list(HYPOTHESIS_COLUMNS))

    def __repr__(self) -> str:
        told = outcome(self.relation, self.model)
        title = f"Hypothesis: {self.context.head} and {self.context.tail}: {told} ({self.model})"
        return listed(title, [self.rationale, *(f"candidate: {each.relation}" for each in self.candidates[1:])])

    def _repr_html_(self) -> str:
        from groundwork.pictures import Piece, Statement, html

        context, chains = self.context, self.context.chains
        pieces = (
            []
            if chains is None
            else [
                Piece("chain", walk(chain.hops, chains.names), [pmid for hop in chain.hops for pmid in hop.pmids[:2]])
                for chain in chains.chains
            ]
        )
        pieces += [Piece("article", each.title, [each.pmid], each.retracted) for each in context.passages or ()]
        result = outcome(self.relation, self.model)
        told = Statement(KINDS.get(result, "proposed"), result, self.rationale, "", (), pieces)
        return html(f"{context.head} and {context.tail}", f"{self.task}, {self.setting}, by {self.model}", [told])


def statement(context: Context, relation: str) -> str:
    """Return the hypothesis as a sentence such as "Metformin positively correlates with AMPK.".

    A label without a verb is that of unrelated pairs.
    """
    verbs = {
        "positive_correlate": "positively correlates with",
        "negative_correlate": "negatively correlates with",
        "stimulate": "stimulates",
        "inhibit": "inhibits",
        "cause": "causes",
        "treat": "treats",
    }
    return f"{context.head} {verbs.get(relation, 'is not associated with')} {context.tail}."
