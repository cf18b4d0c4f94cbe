"""Progress: on a terminal a few bars with readable amounts, otherwise a line from time to time."""

import sys
from io import StringIO

import pytest
from rich.console import Console

from truthhypo.faces import progress
from truthhypo.faces.progress import SHOWN, Bar, Lines


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
