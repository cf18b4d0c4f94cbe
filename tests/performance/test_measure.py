"""The measuring code: the order of turns, the result of a run, and that a wrong answer gets no time."""

import sys
from pathlib import Path

import pytest

from benchmarks.performance.measure import Run, Unavailable, Way, WrongAnswer, check, compare, keep, show, timed


def test_ways_take_turns_and_every_other_turn_goes_backwards(tmp_path):
    seen = []

    def walking(name: str) -> Way:
        def run(scratch: Path) -> Run:
            assert list(scratch.iterdir()) == []
            seen.append(name)
            return Run(1.0, 1.0, 1.0)

        return Way(name, run)

    found = compare([walking("a"), walking("b")], 3, tmp_path)
    assert seen == ["a", "b", "b", "a", "a", "b"]
    assert {name: len(runs) for name, runs in found.items()} == {"a": 3, "b": 3}
    assert list(tmp_path.iterdir()) == []


def test_a_way_that_cannot_run_says_why_and_the_others_continue(tmp_path, capsys):
    def lacking(_: Path) -> Run:
        raise Unavailable("polars is not installed")

    found = compare([Way("polars", lacking), Way("ours", lambda _: Run(2.0, 1.0, 10.0))], 2, tmp_path)
    assert found["polars"] == "polars is not installed"
    assert len(found["ours"]) == 2
    show("title", found, {"rows/s": lambda run: 100 / run.wall})
    told = capsys.readouterr().out
    assert "polars is not installed" in told
    assert "50" in told
    keep(tmp_path / "runs.json", "title", {}, found)
    assert (tmp_path / "runs.json").is_file()


def test_a_run_tells_what_the_process_printed_and_used():
    done = timed([sys.executable, "-c", "x = bytearray(80_000_000); print('{\"edges\": 7}')"])
    assert done.told == {"edges": 7}
    assert done.peak > 80
    assert 0 < done.cpu < 60
    assert done.wall > 0


def test_a_process_that_fails_ends_the_benchmark_with_its_own_words():
    with pytest.raises(RuntimeError, match="no such release"):
        timed([sys.executable, "-c", "import sys; sys.exit('no such release')"])


def test_a_wrong_answer_raises_an_error():
    check("edges", 7, 7)
    with pytest.raises(WrongAnswer, match="edges: 7, and by construction 8"):
        check("edges", 7, 8)
