"""Articles as sentences with mentions: a PubTator document has its own mentions, and other articles are linked_texts once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cypher
import literature
from groundwork.errors import InputError
from groundwork.language import Sentence
from groundwork.linking import Linker, Mention, MentionCache
from groundwork.records import Abstract, Chain, Concept, Hop, Relation, Release, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from knowhd.claims import Claim, linked
from knowhd.gather import EVERY, LABEL, NAMES, SENTENCES, Articles, Gatherer, pack, query
from knowhd.options import Scope
from knowhd.pieces import SHOWN, Edge, Evidence, Passage, trail_of
from knowhd.prompt import shown, tokens_of
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
    assert evidence.chains[0].edges == (f"edge:{ASPIRIN} treat {HEADACHE}", f"edge:{ASPIRIN} treat {INFARCTION}")
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


RECORD = Abstract(1, Text("Aspirin.", "It treats headache. Aspirin is old."), None)
DOCUMENT = Abstract(2, None, Text("Aspirin.", "A drug for headache."), (HEADACHE,), spoken=(("headache", HEADACHE),))


def release(id):
    return Release("concepts", id, id, 1, 1, 0, "live", "2026-01-01T00:00:00Z", 1)


@pytest.fixture
def small(tmp_path):
    settings = Settings(home=tmp_path)
    graph = cypher.connect("memory:", settings, read_only=False)
    texts = literature.connect("memory:", settings, read_only=False)
    with graph.writing():
        graph.put_concepts(
            [concept_batch([Concept(ASPIRIN, "aspirin", ("aspirin",), (9,)), Concept(HEADACHE, "headache", (), ())])]
        )
        graph.put_release(release("first"))
    with texts.writing():
        texts.put([RECORD, DOCUMENT])
        texts.put_release(release("first"))
    return graph, texts


@pytest.fixture
def linked_texts(monkeypatch):
    """The texts that were linked_texts, in order."""
    asked, mentions = [], Linker.all_mentions
    monkeypatch.setattr(
        Linker, "all_mentions", lambda linker, texts: mentions(linker, (asked.append(text) or text for text in texts))
    )
    return asked


def named(sentences):
    return [(passage.sentence, [mention.text for mention in passage.mentions]) for passage in sentences]


def test_a_document_has_its_own_mentions_and_a_record_is_linked(small, linked_texts):
    articles = Articles(*small)
    record, none, document = articles.read([1, 99, 2])
    assert named(record) == [
        ("Aspirin.", ["Aspirin"]),
        ("It treats headache.", ["headache"]),
        ("Aspirin is old.", ["Aspirin"]),
    ]
    assert none == ()
    assert named(document) == [("Aspirin.", []), ("A drug for headache.", ["headache"])]
    assert linked_texts == ["Aspirin. It treats headache. Aspirin is old."]


def test_each_sentence_knows_its_section(small):
    _, texts = small
    labelled = Text("Aspirin.", "We say why. METHODS: Rats got aspirin. Mice got none. RESULTS: Headache ended.")
    with texts.writing():
        texts.put([Abstract(3, labelled, None), Abstract(4, Text("", "RESULTS: Headache ended."), None)])
    titled, bare = Articles(*small).read([3, 4])
    assert [passage.section for passage in titled] == ["title", None, "methods", "methods", "results"]
    assert [passage.section for passage in bare] == ["results"]


def test_an_article_is_linked_once_here_and_in_the_next_process(small, linked_texts, tmp_path):
    cache = tmp_path / "cache" / "mentions.sqlite"
    found = []
    for _ in range(2):
        articles = Articles(*small, MentionCache(cache))
        for _ in range(2):
            articles.refresh()
            found.append(articles.read([1]))
    assert len(linked_texts) == 1
    assert all(each == found[0] for each in found)


def test_for_another_organism_an_article_is_linked_again(small, linked_texts, tmp_path, monkeypatch):
    graph, _ = small
    for species in ("", "10090", ""):
        monkeypatch.setattr(graph, "species", species)
        articles = Articles(*small, MentionCache(tmp_path / "cache" / "mentions.sqlite"))
        articles.refresh()
        articles.read([1])
    assert len(linked_texts) == 2


def test_after_a_new_release_of_names_an_article_is_linked_again(small, linked_texts, tmp_path):
    graph, _ = small
    articles = Articles(*small, MentionCache(tmp_path / "cache" / "mentions.sqlite"))
    articles.refresh()
    articles.read([1])
    with graph.writing():
        graph.put_release(release("second"))
    articles.refresh()
    articles.read([1])
    assert len(linked_texts) == 2


OLD_ASPIRIN = Concept(
    "Chemical|MESH:D001241", "aspirin", ("aspirin", "Aspirins", "ASA", "acetylsalicylic acid"), (9, 3, 2, 5)
)


def claim_of(text: str, **named: str) -> Claim:
    mentions = tuple(
        Mention(name, start, start + len(name), key, name, 1.0)
        for name, key in named.items()
        for start in [text.index(name)]
    )
    return Claim(text, text, (0, len(text)), tuple(named.values()), mentions=mentions)


def test_a_concept_is_asked_for_by_its_own_name_first_then_by_the_most_frequent():
    asked = query(claim_of("Old Aspirin treats headache.", Aspirin=OLD_ASPIRIN.key), {OLD_ASPIRIN.key: OLD_ASPIRIN})
    assert asked.text.split() == ["Old", "treats", "headache."]
    assert asked.names == (("Aspirin", "acetylsalicylic acid", "ASA"),)


def test_names_with_the_same_words_count_together():
    names = ("renal failure", "Kidney failure", "failure of kidneys", "kidney-failures", "uraemia")
    concept = Concept("Disease|D1", names[0], names, (9, 2, 1, 2, 3))
    (asked,) = query(claim_of("renal failure", **{"renal failure": "Disease|D1"}), {"Disease|D1": concept}).names
    assert asked == ("renal failure", "Kidney failure", "uraemia", "failure of kidneys")


def test_only_the_best_names_are_asked_for():
    names = tuple(f"name{letter}" for letter in "abcdefghijkl")
    concept = Concept("Gene|1", names[0], names, tuple(range(12, 0, -1)))
    (asked,) = query(claim_of("namea binds", namea="Gene|1"), {"Gene|1": concept}).names
    assert asked == names[: NAMES + 1]


def test_a_claim_without_concepts_is_its_text():
    asked = query(claim_of("Garlic prevents colds."), {})
    assert (asked.text, asked.names) == ("Garlic prevents colds.", ())


@pytest.mark.parametrize(
    ("key", "spelled"),
    [
        ("SNP|rs1800566", {"rs1800566"}),
        ("ProteinMutation|p|SUB|V|66|M", {"V66M", "Val66Met"}),
        ("DNAMutation|c|SUB|C|677|T", {"677C>T", "C677T"}),
        ("ProteinMutation|RS#:121908192;HGVS:p.R194W;CorrespondingGene:2671", {"rs121908192", "R194W"}),
        ("Gene|7157", set()),
    ],
)
def test_a_variant_is_asked_for_as_texts_write_it(key, spelled):
    (asked,) = query(claim_of("it matters", it=key), {}).names
    assert set(asked) == {"it"} | spelled


class Nameless:
    """A graph without names, so that lines show keys."""

    def concepts(self, keys):
        return {}


GRAPH = Nameless()
WORDS = st.text(st.sampled_from("ab 雪\n"), max_size=200)


def edge(n):
    return Edge(f"edge:{n}", "A|1", f"r{n}", "B|2", (n,), 1, 0.5, (), frozenset({n}))


def trail(n):
    return trail_of(Chain(0.5, (Hop("A|1", f"r{n}", "C|3", 1, (1,), 0.5), Hop("C|3", "r", "B|2", 1, (1,), 0.5))), set())


@given(st.integers(0, 5), st.lists(WORDS, max_size=5), st.integers(0, 5), st.integers(1, 400))
def test_kept_pieces_fit_the_budget_and_the_rest_is_counted(edges, sentences, trails, tokens):
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", text, 1.0, False) for n, text in enumerate(sentences))
    evidence = Evidence(
        tuple(map(edge, range(edges))), passages, tuple(map(trail, range(trails))), {"graph": 0, "chains": 7}
    )
    packed = pack(evidence, tokens, GRAPH)
    kept = (*packed.graph, *packed.literature, *packed.chains)
    assert sum(tokens_of(line) + LABEL for line in shown(kept, GRAPH).values()) <= tokens
    for kind in ("graph", "literature", "chains"):
        whole, part = getattr(evidence, kind), getattr(packed, kind)
        assert [piece for piece in whole if piece in part] == list(part), "whole pieces, in their order"
        assert packed.left_out[kind] == len(whole) - len(part) + (7 if kind == "chains" else 0)


def test_without_a_budget_all_is_kept():
    evidence = Evidence((edge(1),), ())
    assert pack(evidence, None, GRAPH) is evidence


def test_the_best_of_each_kind_comes_first():
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", "abc", 1.0, False) for n in range(9))
    evidence = Evidence(tuple(map(edge, range(9))), passages)
    line = shown(evidence.graph + passages, GRAPH)
    budget = sum(tokens_of(line[p.id]) + LABEL for p in (*evidence.graph[:2], *passages[:2]))
    packed = pack(evidence, budget, GRAPH)
    assert (packed.graph, packed.literature) == (evidence.graph[:2], passages[:2])


def test_a_piece_too_long_for_the_budget_leaves_its_room_to_the_next():
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", text, 1.0, False) for n, text in enumerate(["x" * 90_000, "short"]))
    packed = pack(Evidence((), passages), 100, GRAPH)
    assert [passage.pmid for passage in packed.literature] == [1]
    assert packed.left_out["literature"] == 1
