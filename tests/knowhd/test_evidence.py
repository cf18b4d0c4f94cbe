import pytest

import cypher
import literature
from groundwork.errors import InputError
from groundwork.language import Sentence
from groundwork.linking import Linker
from groundwork.records import Abstract, Chain, Hop, Relation, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from knowhd.claims import linked
from knowhd.gather import EVERY, SENTENCES, Gatherer
from knowhd.options import Scope
from knowhd.pieces import SHOWN, trail_of
from tests.knowhd.conftest import (
    AMPK,
    ARTICLES,
    ASPIRIN,
    CONCEPTS,
    DIABETES,
    HEADACHE,
    IBUPROFEN,
    INFARCTION,
    METFORMIN,
    RELATIONS,
    Stores,
)


def gathered(stores, text, **scope):
    claim = linked(text, Sentence(text, 0, len(text)), (), stores.linker)
    return Gatherer(stores.graph, stores.literature).gather(claim, Scope(**scope))


def pmids(found):
    return {each.pmid for each in found}


def test_edges_have_both_ends_in_the_claim(stores):
    edges = gathered(stores, "Metformin treats type 2 diabetes through AMPK.").graph
    assert {(e.head, e.relation, e.tail) for e in edges} == {
        (METFORMIN, "treat", DIABETES),
        (METFORMIN, "positive_correlate", AMPK),
    }
    keys = {METFORMIN, DIABETES, AMPK}
    assert len(edges) == sum({r.head, r.tail} <= keys for r in RELATIONS)
    assert edges[0].id == f"edge:{edges[0].head} {edges[0].relation} {edges[0].tail}"


def test_one_concept_alone_has_no_edge(stores):
    assert gathered(stores, "TP53 is a gene.").graph == ()


def test_the_cut_holds_in_both_sources(stores):
    claim = "Aspirin prevents myocardial infarction."
    everything, cut = gathered(stores, claim), gathered(stores, claim, before=21)
    assert {e.relation: e.articles for e in everything.graph} == {"treat": 4, "cause": 1}
    assert {e.relation: e.pmids for e in cut.graph} == {"treat": (21, 11)}
    assert 500 in {p.pmid for p in everything.literature}
    assert max(p.pmid for p in cut.literature) <= 21


def test_k_counts_articles_and_tau_is_the_lowest_score(stores):
    claim = "Ibuprofen and aspirin cause myocardial infarction."
    everything = gathered(stores, claim).literature
    assert len({p.pmid for p in gathered(stores, claim, k=2).literature}) == 2
    tau = sorted({p.score for p in everything})[-2]
    assert {p.pmid for p in gathered(stores, claim, tau=tau).literature} == {
        p.pmid for p in everything if p.score >= tau
    }
    assert gathered(stores, claim, tau=1000.0).literature == ()


def test_passages_are_the_sentences_that_bear_on_the_claim(stores):
    passages = [p for p in gathered(stores, "Aspirin treats headache.").literature if p.pmid == 11]
    assert [(p.id, p.sentence) for p in passages] == [
        ("pmid:11#s1", "We asked whether aspirin treats headache."),
        ("pmid:11#s2", "Aspirin relieved headache within an hour."),
    ]
    assert passages[0].title == ARTICLES[11][0]
    assert len(passages) <= SENTENCES
    for passage in passages:
        assert all(passage.sentence[m.start : m.end] == m.text for m in passage.mentions)


def test_a_synonym_finds_articles_under_the_preferred_name(stores):
    passages = gathered(stores, "Acetylsalicylic acid relieves headache.", k=1).literature
    assert {p.pmid for p in passages} == {11}


def test_retracted_articles_are_flagged_or_left_out(stores):
    claim = "Ibuprofen increases myocardial infarction."
    assert {p.pmid: p.retracted for p in gathered(stores, claim).literature}[62] is True
    left = gathered(stores, claim, exclude_retracted=True).literature
    assert left
    assert not any(p.retracted for p in left)


NOTICES = [
    Text("Erratum: Aspirin for headache.", "Aspirin treats headache."),
    Text("Aspirin for headache.", "Aspirin treats headache.", notice=True),
    Text("Comment on aspirin for headache.", "Aspirin treats headache.", retracted=True),
]


@pytest.mark.parametrize("layer", ["record", "document"])
@pytest.mark.parametrize("k", [1, 2, 8])
def test_notices_are_no_evidence_and_take_no_place_in_the_search(stores, tmp_path, layer, k):
    texts = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    other = {"record": "document", "document": "record"}[layer]
    with texts.writing():
        texts.put(stores.literature.get(ARTICLES).values())
        texts.put(Abstract(**{"pmid": 900 + n, layer: text, other: None}) for n, text in enumerate(NOTICES * 3))
    claim = "Aspirin treats headache."
    assert pmids(texts.search(claim, k=9).hits) >= {900, 901, 902}
    with_notices = gathered(Stores(stores.graph, texts, stores.linker), claim, k=k).literature
    assert [p.id for p in with_notices] == [p.id for p in gathered(stores, claim, k=k).literature]
    assert pmids(with_notices) >= {11}


@pytest.mark.parametrize(
    ("claim", "named"),
    [("Aspirin treats headache.", False), ("Aspirin treats stiffness.", True), ("Rest treats stiffness.", True)],
)
def test_a_sentence_without_the_concepts_of_a_claim_is_gathered_only_if_an_end_may_be_a_phrase(
    stores, tmp_path, claim, named
):
    texts = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    with texts.writing():
        texts.put([Abstract(1, Text("", "It treats well."), None)])
    assert bool(gathered(Stores(stores.graph, texts, stores.linker), claim).literature) is named


def test_evidence_under_a_cut_is_the_same_if_it_is_derived_from_later_evidence(stores, tmp_path):
    texts = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    with texts.writing():
        texts.put(stores.literature.get(ARTICLES).values())
        texts.put([Abstract(800, Text("What treats and prevents it.", ""), None)])  # found, but names no concept
    claim = "Aspirin treats headache."
    said = linked(claim, Sentence(claim, 0, len(claim)), (), stores.linker)
    gatherer = Gatherer(stores.graph, texts)
    later = gatherer.gather(said, Scope(k=3))
    for cut in (800, 799, 500, 499, 20):
        scope = Scope(k=3, before=cut)
        assert gatherer.earlier(said, scope, later) == gatherer.gather(said, scope)


@pytest.fixture
def withdrawn(stores, tmp_path):
    """The texts of `stores`, where article 62 is retracted, and a graph with edges from this article."""
    graph = cypher.connect("memory:", Settings(home=tmp_path), read_only=False)
    rows = [
        Relation(IBUPROFEN, "cause", INFARCTION, (62,)),
        Relation(IBUPROFEN, "treat", INFARCTION, (61, 62)),
        Relation(IBUPROFEN, "treat", HEADACHE, (61, 62)),
        Relation(ASPIRIN, "treat", HEADACHE, (11,)),
        Relation(ASPIRIN, "cause", HEADACHE, (62,)),
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(CONCEPTS)])
        graph.put_edges([edge_batch(rows)], "first")
    return Stores(graph, stores.literature, Linker(graph))


def test_an_edge_does_not_count_retracted_articles_that_are_left_out(withdrawn):
    claim = "Ibuprofen treats myocardial infarction."
    flagged = {e.relation: (e.articles, e.pmids, e.retracted) for e in gathered(withdrawn, claim).graph}
    assert flagged == {"cause": (1, (62,), (62,)), "treat": (2, (62, 61), (62,))}
    (edge,) = gathered(withdrawn, claim, exclude_retracted=True).graph
    assert (edge.relation, edge.articles, edge.pmids, edge.retracted, edge.every) == ("treat", 1, (61,), (), {61})
    assert edge.belief == pytest.approx(1 - (0.05 + 0.3))


def test_a_retracted_article_is_recognised_even_if_it_is_not_shown(withdrawn, tmp_path):
    graph = cypher.connect("memory:", Settings(home=tmp_path), read_only=False)
    with graph.writing():
        graph.put_concepts([concept_batch(CONCEPTS)])
        articles = (62, *range(1000, 1000 + SHOWN))
        graph.put_edges([edge_batch([Relation(IBUPROFEN, "treat", HEADACHE, articles)])], "first")
    stores = Stores(graph, withdrawn.literature, Linker(graph))
    (edge,) = gathered(stores, "Ibuprofen treats headache.").graph
    assert 62 not in edge.pmids
    assert (edge.retracted, edge.articles) == ((62,), SHOWN + 1)
    (left,) = gathered(stores, "Ibuprofen treats headache.", exclude_retracted=True).graph
    assert (left.retracted, left.articles) == ((), SHOWN)


@pytest.mark.parametrize(
    ("claim", "chains"),
    [
        ("Aspirin prevents myocardial infarction.", 1),
        ("Ibuprofen causes myocardial infarction.", 0),  # one of the single edges has only a retracted article
    ],
)
def test_chains_of_retracted_articles_are_not_counted_as_left_out(withdrawn, claim, chains):
    found = gathered(withdrawn, claim, hops=3, exclude_retracted=True)
    assert (len(found.chains), found.left_out["chains"]) == (chains, 0)


def test_a_chain_is_dropped_if_all_articles_of_one_edge_are_retracted(withdrawn):
    claim = "Aspirin prevents myocardial infarction."
    relations = {
        retracted: [[hop.relation for hop in chain.hops] for chain in found.chains]
        for retracted in (False, True)
        for found in [gathered(withdrawn, claim, hops=3, exclude_retracted=retracted)]
    }
    assert sorted(relations[False]) == [
        ["cause", "treat", "cause"],
        ["cause", "treat", "treat"],
        ["treat", "treat", "cause"],
        ["treat", "treat", "treat"],
    ]
    assert relations[True] == [["treat", "treat", "treat"]]
    (chain,) = gathered(withdrawn, claim, hops=3, exclude_retracted=True).chains
    assert chain.score == pytest.approx(0.65**3)


def test_the_articles_that_are_weighed_are_not_part_of_the_json(stores):
    (edge,) = (e for e in gathered(stores, "Aspirin treats headache.").graph if {e.head, e.tail} == {ASPIRIN, HEADACHE})
    assert edge.every == {11, 12, 13}
    assert "every" not in edge.to_dict()
    assert EVERY > 27_255


def test_an_article_is_read_once(stores):
    class Counting:
        asked = 0

        def __getattr__(self, name):
            return getattr(stores.literature, name)

        def get(self, pmids):
            wanted = list(pmids)
            self.asked += len(wanted)
            return stores.literature.get(wanted)

    counting = Counting()
    gatherer = Gatherer(stores.graph, counting)
    claim = linked("Aspirin is old.", Sentence("Aspirin is old.", 0, 15), (), stores.linker)
    first = gatherer.gather(claim, Scope()).literature
    asked = counting.asked
    assert gatherer.gather(claim, Scope()).literature == first
    assert counting.asked == asked > 0
    assert INFARCTION in {m.key for p in first for m in p.mentions}


def test_chains_are_those_of_the_store_without_single_edges(stores):
    evidence = gathered(stores, "Headache prevents myocardial infarction.", hops=2)
    found = stores.graph.chains(HEADACHE, INFARCTION, hops=2)
    assert [(c.hops, c.score) for c in evidence.chains] == [(chain.hops, chain.score) for chain in found.chains]
    assert evidence.chains[0].edges == (
        f"edge:{ASPIRIN} treat {HEADACHE}",
        f"edge:{ASPIRIN} treat {INFARCTION}",
    )
    assert (evidence.chains[0].articles, evidence.chains[0].every) == (3, {11, 12, 13})
    assert evidence.left_out["chains"] == 0
    assert gathered(stores, "Headache prevents myocardial infarction.").chains == ()


def test_chains_obey_the_cut(stores):
    cut = gathered(stores, "Headache prevents myocardial infarction.", hops=2, before=11).chains
    assert [[hop.pmids for hop in chain.hops] for chain in cut] == [[(11,), (11,)]]


def test_a_chain_has_a_sign_only_if_all_its_edges_have_one():
    def trail(*relations):
        hops = [Hop(f"A|{n}", relation, f"A|{n + 1}", 1, (1,), 0.5) for n, relation in enumerate(relations)]
        return trail_of(Chain(0.1, tuple(hops)), set())

    assert trail("treat", "inhibit").sign == 1
    assert trail("treat", "cause").sign == -1
    assert trail("treat", "associate", "cause").sign == 0


@pytest.mark.parametrize("hops", [0, 5])
def test_hops_out_of_range_are_refused(hops):
    with pytest.raises(InputError, match="hops"):
        Scope(hops=hops)
