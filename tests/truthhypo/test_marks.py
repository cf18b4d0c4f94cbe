"""A person's word on evidence: marked by command, kept under HOME, shown and obeyed by ground, cite and watch."""

import json
import shutil

import pytest

from groundwork.errors import StoreBusy
from groundwork.files import held
from knowhd.marks import FILE
from tests.truthhypo.serving import serving
from truthhypo.service.marks import LOCK, MarkList

TEXT = "Aspirin causes myocardial infarction."
PIECE, OTHER, EDGE = (
    "pmid:990000005#s3",
    "pmid:990000005#s5",
    "edge:Chemical|MESH:D001241 treat Disease|MESH:D009203",
)


@pytest.fixture
def home(sample_home, tmp_path):
    return shutil.copytree(sample_home, tmp_path / "home")


@pytest.fixture
def ask(command, home):
    return lambda *argv: command("--home", home, *argv)


def grounded(ask):
    return ask("ground", TEXT).json["claims"][0]


def pieces(claim):
    return {piece["id"]: piece for kind in claim["evidence"].values() for piece in kind}


def test_a_mark_is_shown_beside_the_stance_and_obeyed(ask, monkeypatch):
    told = ask("mark", PIECE, "wrong", "--claim", TEXT, "--note", "a trial", "--by", "ada")
    assert told.code == 0, told.err
    assert {name: told.json["mark"][name] for name in ("claim", "piece", "said", "stance", "by", "note")} == {
        "claim": TEXT,
        "piece": PIECE,
        "said": "wrong",
        "stance": None,
        "by": "ada",
        "note": "a trial",
    }
    assert ask("mark", "add", OTHER, "other", "--claim", TEXT).json["mark"]["stance"] == "supports"
    claim = grounded(ask)
    found = pieces(claim)
    shown = {"by": "ada", "said": "wrong", "note": "a trial", "program": "contradicts"}
    assert (found[PIECE]["marked"], found[PIECE]["stance"]) == (shown, None)
    assert (found[OTHER]["marked"]["said"], found[OTHER]["stance"]) == ("other", "supports")
    assert found[EDGE]["marked"] is None
    assert claim["verdicts"] == {"graph": "contradicted", "literature": "supported", "both": "contradicted"}
    assert "A person's mark decides" in claim["reason"]
    monkeypatch.setenv("TRUTHHYPO_MARKS", "false")
    claim = grounded(ask)
    assert claim["verdicts"]["literature"] == "contradicted"
    assert pieces(claim)[PIECE]["marked"] == shown
    assert pieces(claim)[PIECE]["stance"] == "contradicts"


def test_an_edge_can_be_marked_and_a_citation_obeys(ask):
    assert ask("mark", EDGE, "wrong", "--claim", TEXT).code == 0
    assert grounded(ask)["verdicts"]["graph"] == "not_enough"
    before = ask("cite", TEXT, "--pmid", 990000005).json["citations"][0]
    assert (before["verdict"], before["marked"]) == ("contradicted", None)
    for piece in (PIECE, OTHER):
        ask("mark", piece, "wrong", "--claim", TEXT)
    cited = ask("cite", TEXT, "--pmid", 990000005).json["citations"][0]
    assert (cited["verdict"], cited["sentence"], cited["marked"]["said"]) == ("not_stated", None, "wrong")
    assert cited["reason"].startswith("A person's mark decides")
    ask("mark", PIECE, "other", "--claim", TEXT)
    cited = ask("cite", TEXT, "--pmid", 990000005).json["citations"][0]
    assert (cited["verdict"], cited["marked"]["said"]) == ("supported", "other")
    assert cited["reason"].startswith("A person's mark decides")


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ((PIECE, "maybe", "--claim", TEXT), "right, wrong or other"),
        ((PIECE, "wrong", "--claim", " "), "an empty text"),
        (("pmid:990000005#s99", "wrong", "--claim", TEXT), "no piece of evidence"),
        (("pmid:0#s1", "wrong", "--claim", TEXT), "no piece of evidence"),
        (("nonsense", "wrong", "--claim", TEXT), "no piece of evidence"),
        (("pmid:990000005#s0", "other", "--claim", TEXT), "takes no side"),
        ((PIECE, "wrong", "--claim", "Aspirin sits."), "the judge gave no stance"),
        ((PIECE, "wrong", "--claim", f"{TEXT} Simvastatin lowers cholesterol."), "2 claims"),
        ((PIECE, "wrong", "--claim", TEXT, "--note", "x" * 2001), "2,001 characters"),
    ],
)
def test_what_cannot_be_marked_is_refused_and_nothing_is_kept(ask, home, argv, why):
    told = ask("mark", *argv)
    assert (told.code, why in told.err) == (2, True), told.err
    assert MarkList(home).all() == {}


def test_marks_are_listed_exported_imported_and_removed(ask, command, tmp_path):
    first = ask("mark", PIECE, "wrong", "--claim", TEXT).json
    ask("mark", OTHER, "right", "--claim", TEXT)
    listed = ask("mark", "list").json["marks"]
    assert [each["mark"]["piece"] for each in listed] == [PIECE, OTHER]
    file, other = tmp_path / "marks.jsonl", tmp_path / "other"
    assert ask("mark", "export", file).json == {"exported": 2}
    assert len(file.read_text().splitlines()) == 2
    for counts in ({"added": 2, "replaced": 0, "kept": 0}, {"added": 0, "replaced": 0, "kept": 2}):
        assert command("--home", other, "mark", "import", file).json == counts
    assert command("--home", other, "mark", "list").json["marks"] == listed
    again = ask("mark", PIECE, "other", "--claim", TEXT.lower()).json  # a later word replaces the earlier one
    assert again["id"] == first["id"]
    ask("mark", "export", file)
    assert command("--home", other, "mark", "import", file).json == {"added": 0, "replaced": 1, "kept": 1}
    assert ask("mark", "remove", first["id"]).code == 0
    assert ask("mark", "remove", first["id"]).code == 2
    assert [each["mark"]["piece"] for each in ask("mark", "list").json["marks"]] == [OTHER]


def test_a_broken_line_is_named_and_nothing_is_imported(ask, tmp_path, home):
    ask("mark", PIECE, "wrong", "--claim", TEXT)
    file = tmp_path / "marks.jsonl"
    ask("mark", "export", file)
    line = json.loads(file.read_text())
    file.write_text(f"{json.dumps(line)}\n\n{json.dumps({**line, 'said': 'maybe'})}\n")
    kept = (home / FILE).read_bytes()
    told = ask("mark", "import", file)
    assert told.code == 2
    assert "line 3: said 'maybe'" in told.err
    assert (home / FILE).read_bytes() == kept
    assert ask("mark", "import", tmp_path / "none").code == 2


def test_a_damaged_file_is_refused_and_one_change_at_a_time_is_made(ask, home):
    ask("mark", PIECE, "wrong", "--claim", TEXT)
    with held(home / LOCK, StoreBusy("a", "b", "c")):
        assert ask("mark", PIECE, "right", "--claim", TEXT).code == StoreBusy.exit_code
    assert next(iter(MarkList(home).all().values())).said == "wrong"
    (home / FILE).write_text((home / FILE).read_text().replace("wrong", "right"))
    for argv in (("mark", "list"), ("ground", TEXT), ("mark", PIECE, "wrong", "--claim", TEXT)):
        told = ask(*argv)
        assert (told.code, "marks.json cannot be read" in told.err) == (2, True), told.err
    (home / FILE).unlink()
    assert "it is missing" in ask("ground", TEXT).err
    (home / FILE).parent.rmdir()
    assert ask("mark", "list").json == {"marks": []}


def test_a_watched_statement_and_a_run_over_texts_notice_a_mark(ask, home, tmp_path):
    ask("watch", "add", TEXT)
    assert ask("watch", "run").json["statements"][0]["after"]
    texts, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    texts.write_text(TEXT)
    assert ask("ground", "--file", texts, "--out", out).code == 0
    for piece in (PIECE, OTHER):
        ask("mark", piece, "other", "--claim", TEXT)
    again = ask("watch", "run").json["statements"][0]
    assert again["after"]["claims"][0]["verdicts"]["literature"] == "supported"
    assert ask("ground", "--file", texts, "--out", out).code == 2  # made with other files


def test_the_service_makes_lists_and_removes_marks_with_the_scope_judge(command, home, tmp_path):
    tokens = tmp_path / "tokens"
    made = [
        command("--home", home, "serve", "token", name, "--scope", name, "--token-file", tokens).json["token"]
        for name in ("judge", "read")
    ]
    judge, read = ({"Authorization": f"Bearer {token}"} for token in made)
    asked = {"claim": TEXT, "piece": PIECE, "said": "wrong", "note": "a trial", "by": "ada"}
    with serving(home, "--token-file", str(tokens)) as service:
        client, path = service.client, "/api/v1/marks"
        for refused in (client.get(path, headers=read), client.post(path, json=asked, headers=read)):
            assert refused.status_code == 403
        kept = client.post(path, json=asked, headers=judge).json()
        assert {name: kept["mark"][name] for name in asked} == asked
        assert client.get(path, headers=judge).json() == {"marks": [{"id": kept["id"], "mark": kept["mark"]}]}
        claim = client.post("/api/v1/ground", json={"text": TEXT}, headers=judge).json()["claims"][0]
        assert pieces(claim)[PIECE]["marked"]["by"] == "ada"
        for change, status in (({"said": "maybe"}, 422), ({"piece": "pmid:990000005#s99"}, 422)):
            assert client.post(path, json=asked | change, headers=judge).status_code == status
        assert [client.delete(f"{path}/{kept['id']}", headers=judge).status_code for _ in range(2)] == [204, 404]
        assert client.get(path, headers=judge).json() == {"marks": []}
