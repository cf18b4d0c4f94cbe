"""Output for people: its width, its groups, risks, and the progress of long work."""

import json
import sys
from io import StringIO

import pytest
from rich.console import Console

import cypher
from fuzzygraph.options import RiskOptions
from groundwork.errors import InputError
from groundwork.ports import NO_USAGE
from groundwork.records import Chain, Chains, Hop, Relation, Table
from groundwork.records.base import CONTROLS, counted, listed
from groundwork.settings import Settings
from tests.contracts.graphs import concept, fill
from tests.risks import checker_of
from truthhypo.faces import progress, render, render_judgement
from truthhypo.faces.cli.entry import run
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.judging_outcome import Tally
from truthhypo.faces.layout import field, new_table, print_table
from truthhypo.faces.progress import SHOWN, Bar, Lines

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
    lines = shown(lambda console: render_judgement.run_summary(console, SUMMARY))
    assert max(map(len, lines)) <= WIDTH
    assert [line.split(maxsplit=1) for line in lines[:4]] == [
        ["1,200", "texts in the file"],
        ["0", "judged in this run"],
        ["1,195", "judged in an earlier run"],
        ["5", "failed: the same command judges them again"],
    ]
    assert lines[-1].split() == ["usage", "calls", "12"]
    lines = shown(lambda console: render_judgement.run_places(console, SUMMARY))
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
    tally = Tally()
    refused = [{"text": "x", "error": {"seen": f"error {n % 5} {'of a long story ' * 9}"}} for n in range(11)]
    assert list(tally.counting(refused)) == refused
    lines = shown(lambda console: render_judgement.run_results(console, tally))
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


DRUG, GENE, DISEASE = "Chemical|MESH:D1", "Gene|1", "Disease|MESH:D2"
CONCEPTS = [concept(DRUG, ("drugamol", 1)), concept(GENE, ("GENE1", 1)), concept(DISEASE, ("diseasitis", 1))]
WEAK = [Relation(DRUG, "positive_correlate", GENE, (1,)), Relation(DISEASE, "positive_correlate", GENE, (2,))]
STRONG = [*WEAK, Relation(DRUG, "cause", DISEASE, (1, 2, 3))]


@pytest.mark.parametrize(("relations", "thin"), [(WEAK, True), (STRONG, False)])
@pytest.mark.parametrize("times", [1, 2])
def test_strength_and_flag_stand_beside_hrs(relations, thin, times):
    report = checker_of(fill(cypher.connect("memory:", Settings()), relations, CONCEPTS)).check(
        " ".join(["Drugamol causes diseasitis."] * times)
    )
    console = Console(record=True, width=200)
    render_judgement.risk(console, report, {})
    told = console.export_text().splitlines()
    assert sum(line.split() == ["sentence", "Drugamol", "causes", "diseasitis."] for line in told) == times
    lines = [line for line in told if "HRS" in line]
    assert len(lines) == (1 if times == 1 else times + 1)
    for line in lines:
        assert f"strength {report.strength:.3f}" in line
        assert ("thin" in line) is thin


def test_each_result_names_its_sentence_its_triple_and_what_is_not_linked():
    checker = checker_of(fill(cypher.connect("memory:", Settings()), STRONG, CONCEPTS))
    console = Console(record=True, width=200)
    render_judgement.risk(console, checker.check("Drugamol does not cause diseasitis. Foobar causes diseasitis."), {})
    lines = [" ".join(line.split()) for line in console.export_text().splitlines()]
    assert [line for line in lines if line.startswith(("sentence", "read as", "risk unlinked"))] == [
        "sentence Drugamol does not cause diseasitis.",
        "read as Drugamol | not cause | diseasitis",
        "sentence Foobar causes diseasitis.",
        "read as Foobar | causes | diseasitis",
        "risk unlinked (no risk is measured; not linked to a concept: Foobar)",
    ]


@pytest.mark.parametrize("limit", [3, 20])
def test_all_paths_that_were_asked_for_are_shown(limit):
    genes = [f"Gene|{number}" for number in range(1, 7)]
    steps = [Relation(end, "positive_correlate", gene, (1, 2)) for gene in genes for end in (DRUG, DISEASE)]
    names = [*CONCEPTS[::2], *(concept(gene, (f"GENE{gene[-1]}", 1)) for gene in genes)]
    checker = checker_of(fill(cypher.connect("memory:", Settings()), steps, names))
    console = Console(record=True, width=200)
    render_judgement.risk(console, checker.check("Drugamol causes diseasitis.", RiskOptions(paths=limit)), {})
    shown = [line for line in console.export_text().splitlines() if line.startswith("  path")]
    assert len(shown) == min(limit, len(genes))


def test_a_thousand_stages_leave_a_few_bars_with_readable_amounts(monkeypatch):
    written = StringIO()
    monkeypatch.setattr(
        "truthhypo.faces.progress.Screen", lambda **_: Console(file=written, force_terminal=True, width=120)
    )
    bar = Bar()
    with bar.bars:
        for number in range(1000):
            bar.begin(f"fetching file {number}", 3_000_000, "bytes")
            bar.advance(1_500_000)
        bar.begin("reading", None, "rows")
        bar.advance(12_345)
        bar.bars.refresh()
        shown = [task.description for task in bar.bars.tasks]
    assert shown == [f"fetching file {number}" for number in range(1001 - SHOWN, 1000)] + ["reading"]
    assert "1.5 MB of 3.0 MB" in written.getvalue()
    assert "12,345 rows" in written.getvalue()


TEXT = "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction."


@pytest.fixture
def always(monkeypatch):
    """Print a line at each step instead of every ten seconds."""
    monkeypatch.setattr("truthhypo.faces.progress.INTERVAL", 0.0)


def test_progress_of_one_text_counts_sentences_and_claims(command, sample_home, always, tmp_path):
    alone = tmp_path / "alone.txt"
    alone.write_text(TEXT)
    for given in ([TEXT], ["--file", alone], ["--file", alone, "--out", tmp_path / "out.jsonl"]):
        told = command("--home", sample_home, "ground", *given).err
        assert "reading: 2 of 2 sentences" in told
        assert "gathering evidence: 1 of 2 claims" in told
        assert "judging: 2 of 2 claims" in told
        assert "texts" not in told
    told = command("--home", sample_home, "risk", TEXT).err
    assert "reading: 2 of 2 sentences" in told
    assert "measuring: 2 of 2 claims" in told


def test_progress_of_several_texts_counts_texts(command, sample_home, always, tmp_path):
    several = tmp_path / "several.txt"
    several.write_text(TEXT.replace(". ", ".\n"))
    told = command("--home", sample_home, "ground", "--file", several).err
    assert "judging: 2 of 2 texts" in told
    assert "sentences" not in told


def test_a_slow_stage_has_a_rate_above_zero(always, capsys, monkeypatch):
    now = iter(range(0, 100, 4))
    monkeypatch.setattr("truthhypo.faces.progress.monotonic", lambda: next(now))
    lines = Lines()
    lines.begin("asking", 3, "questions")
    lines.advance(1)
    assert capsys.readouterr().err == "asking: 1 of 3 questions, 0.2/s, 8 s left\n"


def test_python_shows_lines_in_a_console_and_in_a_notebook_tqdm_if_it_is_installed(monkeypatch, capsys):
    own = progress.Lines()
    with progress.watched(own) as seen:
        assert seen is own
    with progress.watched(False) as seen:
        assert type(seen).__name__ == "Silent"
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # the tests of notebooks may have imported it
    with progress.watched(True) as seen:
        assert isinstance(seen, progress.Lines)
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    monkeypatch.setattr(progress, "find_spec", lambda name: name == "tqdm" or None)  # test_jupyter.py has the widgets
    with progress.watched(True) as seen:
        assert isinstance(seen, progress.NotebookBar)
        seen.begin("judging", 3, "texts")
        seen.advance(2)
        seen.note("waiting")
    told = capsys.readouterr().err
    assert "judging" in told
    assert "2/3" in told
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    with progress.watched(True) as seen:
        assert isinstance(seen, progress.Lines)
