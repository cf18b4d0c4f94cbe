"""The Python interface: settings, checked arguments, results, threads, and forked children."""

import gc
import re
import sys
import threading
import xml.etree.ElementTree as Tree
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from shutil import copytree

import altair
import numpy as np
import pytest

import truthhypo
from groundwork.errors import InputError, NothingLoaded, TruthHypoError, UnknownConcept
from groundwork.pictures import SIGN_COLOURS, paths_image
from groundwork.settings import Settings
from truthhypo import connect
from truthhypo.faces.langchain import Scorer
from truthhypo.world import World

TEXT = "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction."
PAIR = ("simvastatin", "cholesterol")


@pytest.fixture
def world(sample_home):
    with truthhypo.connect(home=sample_home) as world:
        yield world


ASKED = {
    "ground": lambda world: world.ground(TEXT),
    "many claims": lambda world: world.ground(" ".join([TEXT] * 60)),
    "claim": lambda world: world.ground(TEXT).claims[0],
    "risk": lambda world: world.risk(TEXT),
    "sentence": lambda world: world.risk(TEXT).sentences[0],
    "hypothesis": lambda world: world.hypothesize("simvastatin", "HMGCR"),
    "chains": lambda world: world.graph.chains(*PAIR, hops=4, limit=1000),
    "edges": lambda world: world.graph.edges(*PAIR, "HMGCR"),
    "found": lambda world: world.graph.find("simvastatine", limit=1000),
    "table": lambda world: world.graph.query("MATCH (c:Concept) RETURN c"),
    "stats": lambda world: world.graph.stats(),
    "hits": lambda world: world.literature.search("aspirin", k=1000),
    "hits of texts": lambda world: world.literature.search_many(["aspirin", "nothing"] * 50),
    "article": lambda world: world.literature.get(990000005)[990000005],
    "articles": lambda world: world.literature.get(world.literature.every_pmid()),
    "world": lambda world: world,
    "graph": lambda world: world.graph,
    "literature": lambda world: world.literature,
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_the_repr_of_a_result_is_short_and_names_it(world, ask):
    result = ask(world)
    told = repr(result)
    assert 20 < len(told) <= 2000
    assert "object at 0x" not in told
    assert str(result) == told


def test_a_world_names_its_stores_and_releases(world, sample_home):
    assert f"graph=embedded:{sample_home / 'graph'}" in repr(world)
    assert "pubtator3:" in repr(world)
    assert "pubmed:" in repr(world)
    world.close()
    assert repr(world) == "World(closed)"
    assert "1:1" in repr(truthhypo.connect(graph="bolt://127.0.0.1:1", home=sample_home))


def test_reports_are_html_with_escaped_texts_links_and_symbols(world):
    text = f"{TEXT} <img src=x onerror=alert(1)> causes myocardial infarction."
    ground, risk = world.ground(text)._repr_html_(), world.risk(text)._repr_html_()
    assert re.findall(r'data-verdict="(\w+)"', ground)[:2] == ["supported", "contradicted"]
    assert "✔ supported" in ground
    assert "✖ contradicted" in ground
    assert "<details>" in ground
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/99' in ground
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", ground))
    assert "cholesterol is negatively correlated with Simvastatin (4 articles) PMID 990000123, 990000122" in words
    assert "strength 0.84" in risk
    drawn = b64decode(re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', risk)[0]).decode()
    assert [each.text for each in Tree.fromstring(drawn).iter() if each.text in ("Simvastatin", "cholesterol")]
    for page in (ground, risk, world.hypothesize("simvastatin", "HMGCR")._repr_html_()):
        assert page.count("<img") == page.count('src="data:image/svg+xml;base64,')
        assert "<script" not in page
        assert page.count("<div") == page.count("</div>")


def test_tables_have_names_beside_keys(world):
    chains, edges = world.graph.chains(*PAIR), world.graph.edges(*PAIR)
    ends = [["Chemical|MESH:D019821", "Simvastatin"], ["Chemical|MESH:D002784", "cholesterol"]]
    for frame, head, tail in ((chains.to_frame(), *ends), (edges.to_frame(), *ends[::-1])):
        assert frame[["head", "head_name"]].values.tolist()[0] == head
        assert frame[["tail", "tail_name"]].values.tolist()[0] == tail
    assert list(world.graph.edges("simvastatin", "levodopa").to_frame())[:3] == ["head", "head_name", "relation"]
    claims, risks = world.ground(TEXT).to_frame(), world.risk(TEXT).to_frame()
    assert claims["names"].tolist()[0] == ["Simvastatin", "cholesterol"]
    assert risks[["subject_key", "subject_name"]].values.tolist()[0] == ["Chemical|MESH:D019821", "Simvastatin"]
    assert world.ground("Is it so?").to_frame().empty


def test_chains_edges_and_paths_are_networks(world, monkeypatch):
    for result in (world.graph.chains(*PAIR, hops=3), world.graph.edges(*PAIR), world.risk(TEXT)):
        network = result.to_networkx()
        assert network.nodes["Chemical|MESH:D019821"] == {"name": "Simvastatin", "type": "Chemical"}
        assert network.has_edge("Chemical|MESH:D019821", "Chemical|MESH:D002784", key="negative_correlate")
    edge = (
        world.graph.edges(*PAIR)
        .to_networkx()
        .edges["Chemical|MESH:D019821", "Chemical|MESH:D002784", "negative_correlate"]
    )
    assert edge["articles"] == len(edge["pmids"]) == 4
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(InputError, match="pip install networkx"):
        world.graph.edges(*PAIR).to_networkx()


def test_chains_and_evidence_have_plots_that_tell_kinds_by_colour_and_mark(world, monkeypatch):
    chains = world.graph.chains(*PAIR, hops=3)
    drawn = chains.plot().to_dict()
    (bars,) = drawn["datasets"].values()
    assert [bar["value"] for bar in bars] == [chain.score for chain in chains.chains]
    assert bars[0]["told"] == "− 0.942"
    scale = drawn["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["lowers"] == SIGN_COLOURS["minus"]
    picture = paths_image([path.to_dict() for path in world.risk(TEXT).sentences[0].paths], {})
    assert SIGN_COLOURS["minus"] in b64decode(picture.partition(",")[2]).decode()
    evidence = world.ground(TEXT).plot().to_dict()
    (bars,) = evidence["datasets"].values()
    graph = [(bar["kind"], bar["value"], bar["told"]) for bar in bars if bar["source"] == "graph"]
    assert graph == [("supports", 4, "✔ 4"), ("contradicts", 6, "✖ 6")]
    risk = world.risk(f"{TEXT} Kibrelone treats marvose.")
    (bars,) = risk.plot().to_dict()["datasets"].values()
    assert [(bar["kind"], bar["value"]) for bar in bars] == [
        ("measured", risk.sentences[0].hrs),
        ("risky", risk.sentences[1].hrs),
    ]
    for empty in (world.ground("Is it so?"), world.risk("Is it so?")):
        empty.plot().to_dict()
    plots = chains.plot().properties(title="Chains"), world.ground(TEXT).plot(), risk.plot()
    for chart in plots:
        shown = chart._repr_mimebundle_()
        assert list(shown) == ["image/svg+xml", "image/png"]  # nothing that loads scripts
        assert "Simvastatin" in shown["image/svg+xml"]
        with altair.renderers.enable("json"):
            assert "application/json" in chart._repr_mimebundle_()[0]  # the user's own choice
    assert altair.renderers.active == "default"
    monkeypatch.setitem(sys.modules, "altair", None)
    for result in (chains, world.ground(TEXT), risk):
        with pytest.raises(InputError, match=r"pip install 'truthhypo\[bench\]'"):
            result.plot()


@pytest.mark.parametrize(
    ("ask", "seen"),
    [
        (lambda world: truthhypo.connect("folder"), "connect('folder')"),
        (lambda world: truthhypo.connect(home=5), "home = 5"),
        (lambda world: truthhypo.connect(model=5), "model = 5"),
        (lambda world: world.ground(TEXT, before="2020"), "before = '2020'"),
        (lambda world: world.risk(TEXT, before="2020"), "before = '2020'"),
        (lambda world: world.risk(TEXT, hops=2.5), "hops = 2.5"),
        (lambda world: world.risk(TEXT, alpha="much"), "alpha = 'much'"),
        (lambda world: world.risk(TEXT, form="round"), "form 'round'"),
        (lambda world: world.risk(TEXT, k=9.0), "k = 9.0"),
        (lambda world: world.risk(TEXT, aggregate="mean"), "aggregate 'mean'"),
        (lambda world: world.risk(TEXT, words="no"), "words = 'no'"),
        (lambda world: world.ground(TEXT, k=True), "k = True"),
        (lambda world: world.ground(TEXT, joint=0), "joint = 0"),
        (lambda world: world.ground(TEXT, progress=print), "progress = "),
        (lambda world: world.ground(TEXT, concepts="x"), "concepts = 'x'"),
        (lambda world: world.ground([TEXT]), "text = ['Simvastatin"),
        (lambda world: world.hypothesize("simvastatin", 3156), "tail = 3156"),
        (lambda world: world.hypothesize("simvastatin", "HMGCR", setting="parametric"), "setting 'parametric'"),
        (lambda world: world.graph.edges(["simvastatin"]), "concepts = ['simvastatin']"),
        (lambda world: world.graph.edges("a", "b"), "the graph has no concept 'a'"),
        (lambda world: world.graph.chains(*PAIR, before="2020"), "before = '2020'"),
        (lambda world: world.graph.chains(*PAIR, before=0), "before = 0"),
        (lambda world: world.graph.chains(*PAIR, rank="best"), "rank 'best'"),
        (lambda world: world.graph.query("MATCH (c) RETURN c LIMIT $n"), "the query"),
        (lambda world: world.literature.search("aspirin", before="2020"), "before = '2020'"),
        (lambda world: world.literature.search(None), "text = None"),
        (lambda world: world.literature.get("x"), "the PMID 'x'"),
        (lambda world: world.literature.get([1, None]), "the PMID None"),
        (lambda world: world.with_model("nobody:x"), "no provider"),
        (lambda world: world.with_model(5), "a model of type int"),
    ],
)
def test_wrong_values_are_reported_in_words_of_python(world, ask, seen):
    with pytest.raises(InputError) as refused:
        ask(world)
    assert seen in refused.value.seen
    assert " --" not in str(refused.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda world: truthhypo.connect(hom="x"),
        lambda world: world.ground(TEXT, befor=1),
        lambda world: world.ground(),
        lambda world: world.ground_many([TEXT], where="x"),
        lambda world: world.graph.chains("simvastatin"),
        lambda world: world.literature.search("aspirin", 5),
    ],
)
def test_an_unknown_keyword_or_a_wrong_number_of_arguments_is_a_type_error(world, ask):
    with pytest.raises(TypeError, match=r"\w+\(\): "):
        ask(world)


def test_numbers_of_numpy_and_a_single_pmid_are_accepted(world):
    assert world.ground(TEXT, k=np.int64(8), before=np.int64(10**9)) == world.ground(TEXT)
    assert world.risk(TEXT, alpha=np.float32(0.5)).terms.alpha == 0.5
    assert world.literature.get(990000005).keys() == world.literature.get(np.array([990000005])).keys() == {990000005}


def test_an_id_without_a_type_names_its_concept_unless_several_share_the_id(world, tmp_path):
    assert world.graph.chains("MESH:D019821", "cholesterol") == world.graph.chains(*PAIR)
    with pytest.raises(UnknownConcept):
        world.graph.chains("MESH:D01982", "cholesterol")
    release = tmp_path / "relations.tsv"
    release.write_text("1\tassociate\tGene|7\tDisease|7\n2\tassociate\tGene|8\tDisease|7\n")
    assert truthhypo.connect(home=tmp_path / "home", read_only=False).graph_store is not None
    import ingest

    with truthhypo.connect(home=tmp_path / "two", read_only=False) as two:
        ingest.load_relations([str(release)], two.graph_store, two.settings)
    with truthhypo.connect(home=tmp_path / "two") as two:
        assert [edge.relation for edge in two.graph.edges("8", "Disease|7")] == ["associate"]
        with pytest.raises(InputError, match=r"'7' names several concepts: Disease\|7: 7, Gene\|7: 7 \(human\)"):
            two.graph.edges("7", "8")


def test_articles_are_a_table_in_the_order_asked_for_and_the_json_of_the_command(world, command, sample_home):
    articles = world.literature.get([990000202, 990000005, 1])
    frame = articles.to_frame()
    assert frame[["pmid", "retracted"]].values.tolist() == [[990000202, True], [990000005, False]]
    assert frame["concepts"][1] == list(articles[990000005].concepts)
    assert str(frame["year"].dtype) == "Int64"
    assert world.literature.get(1).to_frame().columns.equals(frame.columns)
    assert articles.to_dict() == command("--home", sample_home, "literature", "get", "990000202", "990000005").json


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("graph", ["whole", "none", "unreachable"])
def test_an_article_has_the_names_of_its_concepts_beside_their_keys_as_far_as_the_graph_is_there(
    sample_home, tmp_path, graph
):
    address = {"whole": "", "none": "", "unreachable": f"embedded:{tmp_path / 'nowhere'}"}[graph]
    home = tmp_path if graph == "none" else sample_home
    settings = Settings(home=home, graph=address, literature=f"embedded:{sample_home / 'literature'}")
    with World(settings) as world:
        articles = world.literature.get([990000005, 990000001])
    named = dict(zip(*articles.to_frame().loc[0, ["concepts", "names"]], strict=True))
    assert named["Chemical|MESH:D001241"] == ("aspirin" if graph == "whole" else "Chemical|MESH:D001241")
    assert articles.names.keys() <= {key for article in articles.values() for key in article.concepts}


def test_nothing_writes_through_the_lookups(world):
    for name in ("put", "drop", "writing", "put_release"):
        assert not hasattr(world.literature, name)
        assert not hasattr(world.graph, name)


def test_a_closed_world_says_so_at_every_call(world):
    graph, literature, lent = world.graph, world.literature, world.with_model(None)
    world.ground(TEXT), world.risk(TEXT), lent.ground(TEXT)
    world.close()
    world.close()
    for call in (
        lambda: world.ground(TEXT),
        lambda: world.risk(TEXT),
        lambda: world.hypothesize("simvastatin", "HMGCR"),
        lambda: world.ground_many([TEXT], progress=False),
        lambda: world.risk_many([TEXT], progress=False),
        lambda: world.hypothesize_many([PAIR], progress=False),
        lambda: lent.ground(TEXT),
        lambda: graph.chains(*PAIR),
        lambda: graph.stats(),
        lambda: literature.search("aspirin"),
        lambda: literature.get([1]),
        lambda: world.graph.find("aspirin"),
    ):
        with pytest.raises(TruthHypoError, match="the world is closed"):
            call()


def test_an_unloaded_home_warns_once(tmp_path):
    with truthhypo.connect(home=tmp_path / "none") as world, pytest.warns(NothingLoaded) as warned:
        world.ground(TEXT)
        world.risk(TEXT)
        world.graph.find("aspirin")
        world.literature.search("aspirin")
    assert len(warned) == 1


def test_threads_share_a_world_and_get_the_answers_of_a_single_thread(sample_home):
    texts = [TEXT, "Metformin treats type 2 diabetes mellitus.", "Warfarin prevents thrombosis.", "Hello there."] * 8
    with truthhypo.connect(home=sample_home) as alone:
        wanted = [(alone.ground(text), alone.risk(text), alone.graph.chains(*PAIR)) for text in texts]
    with truthhypo.connect(home=sample_home) as world, ThreadPoolExecutor(8) as pool:  # nothing is open yet
        found = list(pool.map(lambda text: (world.ground(text), world.risk(text), world.graph.chains(*PAIR)), texts))
    assert found == wanted


def test_a_flag_wins_over_given_settings(tmp_path):
    with connect(Settings(home=tmp_path), graph="memory:") as world:
        assert (world.settings.graph_address, world.settings.home) == ("memory:", tmp_path)


def test_results_are_records_and_tables(world):
    chains = world.graph.chains("simvastatin", "cholesterol")
    frame = chains.to_frame()
    assert list(frame.columns)[:5] == ["chain", "score", "head", "head_name", "relation"]
    assert len(frame) == sum(len(chain.hops) for chain in chains.chains)
    assert world.literature.search("aspirin", k=3).to_frame()["rank"].tolist() == [1, 2, 3]
    assert world.graph.find("insulin").to_frame()["key"].tolist()[0] == "Chemical|MESH:D007328"
    table = world.graph.query("MATCH (c:Concept) RETURN c.key AS key ORDER BY key LIMIT 2")
    assert table.to_frame()["key"].tolist() == [row[0] for row in table.rows]


@pytest.mark.parametrize("options", [{"setting": "zz"}, {"select": "zz"}, {"n": 0}, {"hops": 7}])
def test_choices_are_checked(world, options):
    with pytest.raises(InputError):
        world.hypothesize("simvastatin", "HMGCR", **options)


@pytest.mark.parametrize("before", [-1, 0])
def test_a_cut_before_all_articles_is_refused_as_on_the_command_line(world, before):
    for ask in (
        lambda: world.ground("Simvastatin lowers cholesterol.", before=before),
        lambda: world.risk("Simvastatin lowers cholesterol.", before=before),
        lambda: world.hypothesize("simvastatin", "HMGCR", before=before),
    ):
        with pytest.raises(InputError, match="before"):
            ask()


@pytest.mark.parametrize("text", [None, 5, b"Simvastatin lowers cholesterol."])
def test_an_argument_that_is_not_a_text_is_refused(world, text):
    for ask in (world.ground, world.risk):
        with pytest.raises(InputError, match="text"):
            ask(text)


def test_risk_needs_no_literature(command, sample_home):
    told = command(
        "--home", sample_home, "--literature", "http://127.0.0.1:9", "risk", "Simvastatin lowers cholesterol."
    )
    assert told.code == 0


def test_a_chain_without_hops_is_an_empty_table(world):
    assert world.graph.chains("ascorbic acid", "Parkinson disease").to_frame().empty


STATEMENT, QUERY = "Simvastatin lowers cholesterol.", "MATCH (c:Concept) RETURN c.key ORDER BY c.key LIMIT 2"
USES = {
    "chains": lambda world: world.graph.chains("simvastatin", "cholesterol").total,
    "find": lambda world: world.graph.find("metformin").concepts[0].key,
    "query": lambda world: world.graph.query(QUERY).rows,
    "search": lambda world: world.literature.search("aspirin").hits[0].pmid,
    "article": lambda world: world.literature.get([990000005])[990000005].text.year,
    "ground": lambda world: world.ground(STATEMENT).groundedness,
    "risk": lambda world: world.risk(STATEMENT).hrs,
    "hypothesize": lambda world: world.hypothesize("simvastatin", "HMGCR").relation,
    "many": lambda world: world.ground_many([STATEMENT], progress=False).to_frame()["verdict_both"].tolist(),
    "another model": lambda world: world.with_model(None).ground(STATEMENT).groundedness,
    "another judge": lambda world: world.judged_by("rules").risk(STATEMENT).hrs,
    "scorer": lambda world: Scorer(world).invoke(STATEMENT)["hrs"],
}
#: Seconds after which a child counts as hanging.
SECONDS = 60


def in_child(work):
    """Return what a function returns in a forked child."""
    context = get_context("fork")
    received, sent = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sent.send(work()))
    child.start()
    sent.close()
    try:
        assert received.poll(SECONDS), "the child hangs"
        told = received.recv()
        child.join(SECONDS)
        assert child.exitcode == 0
        return told
    finally:
        child.kill()
        child.join()


def outcome(use, world):
    try:
        return use(world)
    except truthhypo.InputError as error:
        return error.seen, error.remedy


def test_a_forked_child_gets_an_error_for_each_use_and_leaves_the_parent_its_stores(world):
    before = {name: use(world) for name, use in USES.items()}

    def child():
        told = {name: outcome(use, world) for name, use in USES.items()}
        world.close()
        return told

    for name, (seen, remedy) in in_child(child).items():
        assert "which was forked from it" in seen, name
        assert "call truthhypo.connect() in the child process" in remedy
    assert {name: use(world) for name, use in USES.items()} == before


def test_a_forked_child_uses_a_world_of_its_own_and_may_forget_that_of_its_parent(sample_home):
    held = [truthhypo.connect(home=sample_home)]
    before = {name: use(held[0]) for name, use in USES.items()}

    def child():
        held.clear()
        gc.collect()
        with truthhypo.connect(home=sample_home) as own:
            return {name: use(own) for name, use in USES.items()}

    assert in_child(child) == before
    assert USES["query"](held[0]) == before["query"], "the child did not end the parent's processes"
    held.pop().close()


def test_a_child_that_is_forked_during_a_judgement_does_not_wait_for_it(world):
    begun, ended = threading.Event(), threading.Event()

    class Waiting:
        def begin(self, stage, total, unit):
            begun.set()
            assert ended.wait(SECONDS)

        def advance(self, amount): ...
        def note(self, text): ...

    judging = threading.Thread(target=lambda: world.ground(STATEMENT, progress=Waiting()))
    judging.start()
    try:
        assert begun.wait(SECONDS)
        assert "forked" in in_child(lambda: outcome(USES["ground"], world))[0]
    finally:
        ended.set()
        judging.join()


def test_a_closed_world_leaves_its_cache_in_one_file(sample_home, tmp_path):
    """A copy of HOME would otherwise lack what is only in the write-ahead log."""
    home = copytree(sample_home, tmp_path / "home")
    with connect(home=home) as world:
        world.ground(TEXT)
    assert [path.name for path in (home / "cache").glob("mentions*")] == ["mentions.sqlite"]
    del world
