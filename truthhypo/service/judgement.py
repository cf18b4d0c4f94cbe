"""Join the groundedness report and the risk report of a text.

The names, links, articles, highlights and queries that a reader needs to check both reports are added.
"""

from collections.abc import Iterable
from dataclasses import replace

from cypher.network import Reach
from cypher.sketch import sketch
from fuzzygraph.risk_report import RiskReport, SentenceRisk
from groundwork.organisms import distinct_name
from groundwork.ports import LiteratureReader
from groundwork.settings import Settings
from groundwork.vocabulary import SIMILAR_TO, links
from knowhd.ground_report import GroundReport
from knowhd.stances import highlights
from truthhypo.service.typed_answers import ArticleNote, JudgementAnswer
from truthhypo.world import World

#: Maximum number of paths that the Cypher query for Neo4j Browser shows.
_PATHS = 32


def judgement(
    world: World, ground: GroundReport, risk: RiskReport, release: tuple[str, ...], loading: bool
) -> JudgementAnswer:
    """Return both judgements of a text with names, links, articles, highlights and queries.

    Args:
        world: World with the stores from which the judgements were made.
        ground: The groundedness report: the claims with evidence.
        risk: The risk report: the claims with paths.
        release: The live releases of the stores.
        loading: Whether a load is unfinished.
    """
    mentioned = {match.key for claim in ground.claims for each in claim.mentions for match in each.alternatives}
    risk = _compared(ground, risk)
    concepts = world.graph_store.concepts(sorted({*ground.keys(), *risk.keys(), *mentioned}))
    reach = Reach(risk.terms.before, without=world.uncounted())
    pmids = {*_pmids(ground), *(each.words.pmid for each in risk.sentences if each.words)}
    return JudgementAnswer(
        text=ground.text,
        ground=ground,
        risk=risk,
        names={key: distinct_name(concept) for key, concept in concepts.items()},
        links={key: links(key) for key in concepts},
        articles=_notes(world.literature_store, pmids),
        highlights=tuple(highlights(claim, world.reader) for claim in ground.claims),
        queries=tuple(_query(sentence, reach, world.settings) for sentence in risk.sentences),
        release=release,
        loading=loading,
    )


def _compared(ground: GroundReport, risk: RiskReport) -> RiskReport:
    """Return the risk report in which claims are flagged whose risk says the opposite of their verdict."""
    sides = {"supported": True, "contradicted": False}
    verdicts = {claim.text: sides.get(claim.verdicts["both"]) for claim in ground.claims}
    told = [(each, verdicts.get(each.text)) for each in risk.sentences]
    return replace(
        risk,
        sentences=tuple(each if side is None else each.beside("The judge", supported=side) for each, side in told),
    )


def _pmids(report: GroundReport) -> Iterable[int]:
    """Yield the PMIDs of all evidence in a report."""
    for claim in report.claims:
        held = claim.evidence
        yield from (passage.pmid for passage in held.literature)
        yield from (pmid for edge in held.graph for pmid in edge.pmids)
        yield from (pmid for chain in held.chains for hop in chain.hops for pmid in hop.pmids)


def _notes(literature: LiteratureReader, pmids: Iterable[int]) -> dict[str, ArticleNote]:
    """Return title, year, journal and retraction of articles, by PMID in ascending order."""
    texts = ((pmid, found.text) for pmid, found in sorted(literature.get(set(pmids)).items()))
    return {str(pmid): ArticleNote(text.title, text.year, text.journal, text.retracted) for pmid, text in texts}


def _query(sentence: SentenceRisk, reach: Reach, settings: Settings) -> str | None:
    """Return a query that shows the paths of a claim in Neo4j; None if its subject or object is not linked."""
    if sentence.subject.key is None or sentence.object.key is None:
        return None
    hops = max((len(path.kinds) for path in sentence.paths), default=1)
    alpha = 1.0 if any(SIMILAR_TO in path.kinds for path in sentence.paths) else None
    return sketch(sentence.subject.key, sentence.object.key, hops, reach, _PATHS, "evidence", alpha, settings)
