"""Symbols of genes: every command means the human gene, unless the text or `--species` names another organism."""

from functools import partial

import pytest

import truthhypo
from tests.truthhypo.serving import called, serving
from truthhypo.faces.cli.entry import run

BRCA1, TP53, TRP53, RAT = "Gene|672", "Gene|7157", "Gene|22059", "Gene|24842"
RELATIONS = "".join(f"{pmid}\tpositive_correlate\t{BRCA1}\t{gene}\n" for pmid, gene in enumerate((TP53, TRP53, RAT), 1))
CONCEPTS = "".join(
    f"{pmid}\tGene\t{key.removeprefix('Gene|')}\t{names}\tx\n"
    for pmid, (key, names) in enumerate(((TP53, "p53|p53"), (TRP53, "p53"), (RAT, "TP53")), 1)
)
MOUSE = "10090\t22059\tTrp53\t-\tp53|bbl\t-\t-\t-\ttransformation related protein 53" + "\t-" * 7 + "\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("organisms")
    for kind, text in (("relations", RELATIONS), ("concepts", CONCEPTS), ("genes", MOUSE)):
        (folder / kind).write_text(text)
        assert run(["--home", str(folder / "home"), "ingest", kind, str(folder / kind)]) == 0
    return folder / "home"


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("TP53", (), TP53),
        ("p53", (), TP53),
        ("Trp53", (), TRP53),
        ("mouse p53", (), TRP53),
        ("p53", ("--species", "mouse"), TRP53),
        ("p53", ("--species", "10090"), TRP53),
        ("TP53", ("--species", "rat"), RAT),
        ("7157", ("--species", "rat"), TP53),
        ("human TP53", ("--species", "rat"), TP53),
        ("p53", ("--species", "Mus musculus"), TRP53),
        ("Tp53", (), RAT),
    ],
)
def test_look_ups_and_judgements_mean_the_same_gene(home, command, name, options, key):
    call = partial(command, "--home", home, *options)
    found = call("graph", "find", name).json
    assert (found["concepts"][0]["key"], found["ambiguous"]) == (key, False)
    assert call("graph", "chains", name, BRCA1).json["head"] == key
    assert {key, BRCA1} == {call("graph", "edges", name, BRCA1).json["edges"][0][end] for end in ("head", "tail")}
    if not name.isdecimal():
        text = f"{name} increases BRCA1."
        human = ("--concept", f"BRCA1={BRCA1}") if options else ()
        (claim,) = call("ground", text, *human).json["claims"]
        assert (claim["concepts"], claim["verdicts"]["graph"]) == ([key, BRCA1], "supported")
        (sentence,) = call("risk", text, *human).json["sentences"]
        assert (sentence["subject"]["key"], sentence["status"]) == (key, "measured")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("MICE: p53 increases BRCA1.", TRP53),
        ("Mus musculus p53 increases BRCA1.", TRP53),
        ("In M. musculus, p53 increases BRCA1.", TRP53),
        ("Mice were studied. p53 increases BRCA1.", TRP53),
        ("Mice were studied. In patients, p53 increases BRCA1.", TP53),
    ],
)
def test_the_organism_of_a_text_holds_for_its_sentences_and_narrows_no_claim(home, command, text, key):
    call = partial(command, "--home", home)
    meant = ("--concept", f"BRCA1={BRCA1}")
    claim = call("ground", text, *meant).json["claims"][-1]
    assert (claim["concepts"], claim["verdicts"]["graph"]) == ([key, BRCA1], "supported")
    sentence = call("risk", text, *meant).json["sentences"][-1]
    assert (sentence["subject"]["key"], sentence["status"]) == (key, "measured")


def test_a_name_of_another_organism_is_refused_with_the_genes_that_have_it(home, command):
    told = command("--home", home, "--species", "zebrafish", "graph", "chains", "TP53", BRCA1)
    assert told.code == 2
    assert "no concept 'TP53' of the organism zebrafish" in told.err
    assert f"{TP53}: TP53 (human, tumor protein p53)" in told.err
    unknown = command("--home", home, "--species", "unicorn", "graph", "find", "TP53")
    assert unknown.code == 2
    assert "no organism 'unicorn'" in unknown.err


def test_the_gene_of_another_organism_is_never_taken_silently(home, command):
    told = command("--home", home, "graph", "chains", "bbl", BRCA1)
    assert told.json["head"] == TRP53
    assert f"'bbl' means {TRP53}: Trp53 (mouse" in told.err
    assert "means" not in command("--home", home, "graph", "chains", "Trp53", BRCA1).err
    (claim,) = command("--home", home, "--species", "zebrafish", "ground", "TP53 increases tumors.").json["claims"]
    assert TP53 not in claim["concepts"]


def test_answers_tell_the_organism_and_the_description(home, command):
    found = command("--home", home, "graph", "find", "p53").json["concepts"]
    told = [(each["name"], each["organism"], each["description"]) for each in found[:2]]
    assert told == [("TP53", "9606", "tumor protein p53"), ("Trp53", "10090", "transformation related protein 53")]


@pytest.mark.parametrize("look_up", ["chains", "edges"])
def test_chains_and_edges_print_the_organism_and_the_description(home, capfd, look_up):
    assert run(["--home", str(home), "graph", look_up, "mouse p53", BRCA1]) == 0
    printed = " ".join(capfd.readouterr().out.split())
    assert f"Trp53 (mouse, transformation related protein 53) ({TRP53})" in printed
    assert f"BRCA1 (human, breast cancer 1, early onset) ({BRCA1})" in printed


@pytest.mark.parametrize("judgement", ["ground", "risk"])
def test_printed_judgements_name_the_organism_of_an_animals_gene(home, capfd, judgement):
    assert run(["--home", str(home), judgement, "Mouse p53 increases BRCA1."]) == 0
    shown = capfd.readouterr().out
    assert "Trp53 (mouse)" in shown
    assert "BRCA1 (human)" not in shown


@pytest.fixture(scope="module")
def service(home):
    with serving(home) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "asked", "argv"),
    [
        ("/concepts", {"q": "p53"}, ["graph", "find", "p53"]),
        ("/edges", {"key": ["p53", BRCA1]}, ["graph", "edges", "p53", BRCA1]),
        ("/chains", {"head": "p53", "tail": BRCA1}, ["graph", "chains", "p53", BRCA1]),
        ("/ground", {"text": "p53 increases BRCA1.", "concepts": {"BRCA1": BRCA1}}, ["ground"]),
        ("/risk", {"text": "p53 increases BRCA1.", "concepts": {"BRCA1": BRCA1}}, ["risk"]),
        ("/hypothesize", {"head": "p53", "tail": BRCA1}, ["hypothesize", "p53", BRCA1, "--setting", "kg"]),
    ],
)
def test_a_request_chooses_the_organism_as_the_option_of_the_command(home, command, service, path, asked, argv):
    if path == "/hypothesize":
        asked = asked | {"setting": "kg"}
    if "text" in asked:
        argv = [*argv, asked["text"], "--concept", f"BRCA1={BRCA1}"]

    def told(**more):
        post, sent = path in {"/ground", "/risk", "/hypothesize"}, asked | more
        url, client = f"/api/v1{path}", service.client
        answer = (client.post(url, json=sent) if post else client.get(url, params=sent)).json()
        return {name: value for name, value in answer.items() if name not in {"release", "usage"}}

    wanted = command("--home", home, "--species", "mouse", *argv).json
    mouse = told(species="mouse")
    assert mouse == {name: value for name, value in wanted.items() if name in mouse}
    assert TRP53 in str(mouse) and TP53 not in str(mouse)
    assert TP53 in str(told())


@pytest.mark.parametrize("judgement", ["ground", "risk", "edges"])
def test_reports_in_notebooks_name_the_organism_of_an_animals_gene(home, judgement):
    with truthhypo.connect(home=home) as world:
        found = world.graph.edges(TRP53, BRCA1) if judgement == "edges" else getattr(world, judgement)(RAISES)
    assert found.names[TRP53] == "Trp53 (mouse)"
    assert judgement != "ground" or "Trp53 (mouse) is positively correlated with BRCA1" in found._repr_html_()


RAISES = "Trp53 increases BRCA1."


@pytest.mark.parametrize("species", ["mouse", ""])
def test_the_forms_of_the_page_take_an_organism(service, species):
    fields = {"species": species, "concept": f"BRCA1={BRCA1}"}
    answer = service.client.post("/judge", data={"text": "p53 increases BRCA1.", **fields})
    place = answer.headers["location"]
    kept = service.client.get(f"{place}.json").json()
    (claim,) = kept["ground"]["claims"]
    assert claim["concepts"] == [TRP53 if species else TP53, BRCA1]
    shown = service.client.get(place).text
    assert ("Trp53 (mouse)" in shown) == bool(species)
    cited = service.client.post("/cite", data={"claim": "p53 increases BRCA1.", "evidence": "None.", **fields})
    assert f'name="species" placeholder="mouse" value="{species}"' in cited.text


@pytest.mark.parametrize(("path", "fields"), [("/judge", {"text": "p53."}), ("/cite", {"claim": "p53.", "pmids": "1"})])
def test_a_form_with_an_unknown_organism_is_shown_again(service, path, fields):
    answer = service.client.post(path, data={**fields, "species": "unicorn"})
    assert answer.status_code == 422
    assert "zebrafish" in answer.text and 'value="unicorn"' in answer.text


def test_a_concept_is_described_for_the_organism_of_the_request(service):
    for species, key in (("mouse", TRP53), ("human", TP53)):
        assert service.client.get("/api/v1/concepts/p53", params={"species": species}).json()["key"] == key


def test_an_unknown_organism_in_a_request_is_refused_with_the_known_ones(service):
    told = service.client.get("/api/v1/concepts", params={"q": "p53", "species": "unicorn"})
    assert (told.status_code, "no organism 'unicorn'" in told.text, "zebrafish" in told.text) == (422, True, True)
    for asked, place in (({"species": "unicorn"}, "body.species"), ({"organism": ["mouse", "unicorn"]}, "body")):
        told = service.client.post("/api/v1/ground", json={"text": "x", **asked}).json()
        assert (told["status"], told["seen"]) == (422, f"{place}: no organism 'unicorn'")
        assert told["wanted"].startswith("an NCBI taxon id, or one of")


def test_tools_for_agents_take_an_organism(service):
    headers = {"Accept": "application/json, text/event-stream"}
    for species, key in (("mouse", TRP53), (10090, TRP53), (None, TP53)):
        call = called("find_concepts", {"q": "p53", "species": species})
        told = service.client.post("/mcp", json=call, headers=headers)
        assert f'"key":"{key}"' in told.text.replace(" ", "").replace("\\", ""), told.text
