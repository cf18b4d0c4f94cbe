"""Output fits the width of the terminal, options are in groups, and shell completion works."""

import json
import sys
from io import StringIO

import pytest
from rich.console import Console

from groundwork.errors import InputError
from groundwork.ports import NO_USAGE
from groundwork.records import Chain, Chains, Hop, Table
from groundwork.records.base import CONTROLS, counted, listed
from truthhypo.faces import render, render_many
from truthhypo.faces.cli.entry import run
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.layout import field, new_table, print_table
from truthhypo.faces.progress import Bar, Lines

WIDTH = 60
SUMMARY = {"texts": 1200, "empty": 0, "written": 0, "kept": 1195, "failed": 5, "left": 0, "unusable": 2, "unread": 0}
SUMMARY |= {"out": "/a/table.csv", "records": "/a/table.jsonl", "usage": {**NO_USAGE, "calls": 12}}


def shown(draw, *, terminal=True):
    out = StringIO()
    draw(Console(file=out, width=WIDTH, force_terminal=terminal, color_system=None, soft_wrap=not terminal))
    return out.getvalue().splitlines()


def test_a_field_is_wrapped_beside_its_label_on_a_terminal_and_is_one_line_in_a_pipe():
    text = " ".join(["evidence"] * 30)
    lines = shown(lambda console: field(console, "why      ", text))
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].startswith("why      evidence") and all(line.startswith(" " * 9 + "e") for line in lines[1:])
    assert shown(lambda console: field(console, "why      ", text), terminal=False) == [f"why      {text}"]


def test_an_error_is_wrapped_between_words_on_a_terminal_and_one_line_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    command = ["ground", "--file", f"/{'folder/' * 20}texts.doc"]
    assert run(command) == 2
    plain = capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(command) == 2
    wrapped = capsys.readouterr().err
    assert max(len(line) for line in wrapped.splitlines() if "folder" not in line) <= WIDTH
    assert wrapped.split() == plain.split()


def test_a_chain_has_a_line_for_each_hop_and_fits_the_width():
    keys = "Chemical|MESH:D019821", "Gene|3156", "Disease|MESH:D009203"
    first = Hop(keys[0], "inhibit", keys[1], 6, tuple(range(990000006, 990000000, -1)), 0.949)
    found = Chains(
        keys[0], keys[2], (Chain(0.6, (first, Hop(keys[1], "associate", keys[2], 1, (7,), 0.65))),), 1, False, ""
    )
    lines = shown(lambda console: render.chains(console, found, {}))
    hops = [line.strip() for line in lines if line.startswith(" " * 8)]
    assert [hops[0], hops[-2]] == [f"-inhibit- {keys[1]}", f"-associate- {keys[2]}"]
    assert hops[-1] == "1 article, belief 0.650, PMID 7"
    assert max(map(len, lines)) <= WIDTH
    lines = shown(lambda console: render.edges(console, [first], {}))
    assert max(map(len, lines)) <= WIDTH and all(key in " ".join(lines) for key in keys[:2])


def test_a_table_cuts_no_value_and_is_a_line_per_row_in_a_pipe():
    def draw(console):
        table = new_table("key", "text")
        table.add_row("k" * 40, " ".join(["word"] * 30))
        print_table(console, table)

    lines = shown(draw)
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(lines).count("word") == 30 and "".join(lines).count("k") == 41
    assert len(shown(draw, terminal=False)) == 2


def test_a_summary_names_what_it_counts():
    lines = shown(lambda console: render_many.summary(console, SUMMARY))
    assert max(map(len, lines)) <= WIDTH
    assert [line.split(maxsplit=1) for line in lines[:4]] == [
        ["1,200", "texts in the file"],
        ["0", "judged in this run"],
        ["1,195", "judged in an earlier run"],
        ["5", "failed: the same command judges them again"],
    ]
    assert lines[-1].split() == ["usage", "calls", "12"]
    lines = shown(lambda console: render_many.places(console, SUMMARY))
    assert [line.split() for line in lines] == [["written", "to", "/a/table.csv"], ["evidence", "in", "/a/table.jsonl"]]


def told(command, home, capsys, *options, code=0):
    """What a run on a file prints for people at its end, by the first word of each line."""
    assert run(["--home", str(home), command, "--file", *map(str, options)]) == code
    lines = capsys.readouterr().out.splitlines()
    return {line.split()[0]: " ".join(line.split()[1:]) for line in lines if line.strip()}


#: Sequences that clear the screen, set the title, write to the clipboard and reverse the order of letters.
HOSTILE = "a\x1b[2J b\x1b]0;owned\x07 c\x9b2J\x08\r d\x1b]52;c;eA==\x1b\\ e\x7f \u202ef"


def a_bar(text, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    bar = Bar()
    with bar.bars:
        bar.begin(text, 1, "texts")
        bar.note(text)


@pytest.mark.parametrize(
    "told",
    [
        lambda text, _: Output({}, json=False, debug=False).show({}, lambda console: field(console, "why ", text)),
        lambda text, _: Output({}, json=False, debug=False).show({}, lambda console: console.rule(text)),
        lambda text, _: Output({}, json=False, debug=False).show(
            {}, lambda console: render.table(console, Table((text,), ((text, 1), ("x", 2)), False))
        ),
        lambda text, _: Output({}, json=True, debug=False).show({text: [text]}, lambda console: None),
        lambda text, _: note(text),
        lambda text, _: Lines().note(text),
        lambda text, _: sys.stdout.write(listed(text, [text])),
        lambda text, _: sys.stdout.write(str(InputError(text, text, text))),
        a_bar,
    ],
)
def test_what_models_and_files_say_never_controls_the_terminal(told, capsys, monkeypatch):
    told(HOSTILE, monkeypatch)
    shown = "".join(capsys.readouterr())
    assert "owned" in shown and "f" in shown
    assert not CONTROLS.search(shown.replace("\x1b[?25l", "").replace("\x1b[?25h", ""))


@pytest.mark.parametrize("more", [[], ["--json"], ["--debug"]])
@pytest.mark.parametrize("words", [["ground", HOSTILE], ["risk", HOSTILE], ["graph", "find", HOSTILE], [HOSTILE]])
def test_a_command_never_controls_the_terminal(sample_home, words, more, capsys):
    run(["--home", str(sample_home), *words, *more])
    assert not CONTROLS.search("".join(capsys.readouterr()))


@pytest.fixture
def statements(tmp_path):
    (tmp_path / "in.txt").write_text(
        "Simvastatin lowers cholesterol. Ascorbic acid treats Parkinson disease.\n"
        "Aspirin causes myocardial infarction.\nHoney tastes better than soup.\n"
    )
    return tmp_path / "in.txt"


def test_a_run_ends_with_verdicts_means_flags_and_places(sample_home, statements, tmp_path, capsys):
    lines = told("ground", sample_home, capsys, statements, "--out", tmp_path / "out.csv")
    assert lines["claims"] == "by supported contradicted not enough failed mean groundedness"
    assert lines["both"] == "1 1 1 1 0.25 (0.00-0.50)"
    assert "1 unread" in lines["flags"]
    assert lines["judge"].startswith("rules (deterministic")
    assert (lines["written"], lines["evidence"]) == (f"to {tmp_path}/out.csv", f"in {tmp_path}/out.csv.jsonl")
    assert told("ground", sample_home, capsys, statements)["both"] == lines["both"]


def test_risks_of_a_file_end_with_statuses_and_the_mean(sample_home, statements, tmp_path, capsys):
    for options in ([], ["--out", tmp_path / "out.jsonl"]):
        lines = told("risk", sample_home, capsys, statements, "--no-words", *options)
        assert lines["sentences"] == "2 measured, 1 no evidence, 1 no triple"
        assert lines["risk"] == "mean HRS 1.00, mean strength 0.90 (1 of 3 texts)"


def test_pairs_of_a_file_end_with_relations_errors_and_places(sample_home, tmp_path, capsys):
    pairs, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    pairs.write_text("head,tail\nsimvastatin,HMGCR\nnothing,HMGCR\nChemical|MESH:D019821,3156\nHFE,hemochromatosis\n")
    for options in ([], ["--out", out]):
        lines = told("hypothesize", sample_home, capsys, pairs, *options, code=1)
        assert lines["relations"] == "2 negative correlate, 1 undecided"
        assert lines["4"] == "pairs in the file"
        assert lines["error"].startswith("1 x the graph has no concept 'nothing'")
        assert ("written" in lines, "why" in lines) == (bool(options), not options)


@pytest.mark.parametrize(
    ("pair", "relation"),
    [(("hemochromatosis", "HFE"), "undecided"), (("aspirin", "myocardial infarction"), "treat")],
)
def test_a_hypothesis_is_printed_with_the_chains_and_titles_behind_it(sample_home, capsys, pair, relation):
    asked = ["--home", str(sample_home), "hypothesize", *pair]
    assert run([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert run(asked) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f"relation  {relation}" in lines
    chains, articles = found["context"]["chains"], found["context"]["passages"]
    first = lines.index(f"{counted(chains['total'], 'chain')}, {len(chains['chains'])} shown") + 1
    for line, chain in zip(lines[first:], chains["chains"], strict=False):
        assert line.startswith(f"{chain['score']:.4f}  ") and f" -{chain['hops'][0]['relation']}- " in line
    titles = [f"PMID {each['pmid']}{' RETRACTED' if each['retracted'] else ''}  {each['title']}" for each in articles]
    assert lines[-len(titles) :] == titles
    assert lines[-len(titles) - 1] == counted(len(titles), "article")


def test_errors_of_a_run_are_counted_by_their_text():
    tally = render_many.Tally()
    refused = [{"text": "x", "error": {"seen": f"error {n % 5} {'of a long story ' * 9}"}} for n in range(11)]
    assert list(tally.counting(refused)) == refused
    lines = shown(lambda console: render_many.results(console, tally))
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].startswith("error       3 x error 0 of")
    assert lines[-1].split(maxsplit=1) == ["and", "2 other errors"]


@pytest.mark.parametrize(
    ("command", "common", "last"),
    [
        (["ground"], ["--file", "--out", "--judge"], "Language model:"),
        (["risk"], ["--file", "--hops", "--paths"], "Similarity edges:"),
        (["ingest", "similarity"], ["--embedder", "--tau", "--dry-run"], "Release and output:"),
    ],
)
def test_help_shows_common_options_first_and_the_others_in_groups(command, common, last, capsys):
    assert run([*command, "--help"]) == 0
    text = capsys.readouterr().out
    first, _, groups = text.partition("Common options:")[2].partition("\n\n")
    assert all(f"  {option} " in first for option in common)
    assert last in groups and last.removesuffix(":") not in first


@pytest.mark.parametrize(("words", "found"), [("gr", ["ground", "graph"]), ("graph ch", ["chains"])])
def test_a_shell_completes_commands(words, found, capsys, monkeypatch):
    monkeypatch.setenv("_TRUTHHYPO_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"truthhypo {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    with pytest.raises(SystemExit) as left:
        run([])
    assert (left.value.code, capsys.readouterr().out.split()) == (0, found)
