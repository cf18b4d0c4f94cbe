"""A benchmark run with a real small language model is killed and resumed. The scores of this model mean nothing.

This test is slow. `make test` runs a real model in tests/truthhypo/test_language_model.py and a killed run in
test_bench_run.py.
"""

import json

import pytest

from benchmarks.performance.measure import program
from tests.loopback import Loopback, passing_on
from tests.truthhypo.bench import small_set
from tests.truthhypo.killing import killed_at
from truthhypo.hypotheses import dataset

SUITE = """
models = ["rules", { name = "openai:smollm2", model_tokens = 64, model_concurrency = 1 }]
settings = ["kg"]
judges = ["model"]
[judging]
k = 1
tau = 100.0
joint = 4
[datasets.set]
path = "three"
"""
#: Three instances, each answered by the rules and by the model.
WHOLE = 3 * 2


@pytest.fixture
def asked(server, language_model_address) -> Loopback:
    """The real model, behind a server that stores the questions."""

    server.answering = passing_on(language_model_address)
    return server


@pytest.mark.slow
def test_a_killed_and_resumed_run_asks_nothing_twice_and_is_reported(asked, folder, command):
    dataset.write(folder / "three", small_set.instances()[:3])  # of one task, one of each label
    suite, out, home = folder / "suite.toml", folder / "out", ("--home", folder / "home")
    suite.write_text(SUITE, "utf-8")
    killed_at(out / "records.jsonl", 3 + 1, program("bench", "run", suite, "--out", out, *home))
    told = command("bench", "run", suite, "--out", out, *home)
    assert told.code in {0, 1}, told.err  # exit code 1: no reply was a usable answer
    assert told.json.items() >= {"records": WHOLE, "kept": 4, "written": 2, "left": 0}.items()
    records = [json.loads(line) for line in (out / "records.jsonl").read_text("utf-8").splitlines()]
    assert len({(each["instance"], each["model"]) for each in records}) == len(records) == WHOLE
    said = [each for each in records if each["model"] == "openai:smollm2"]
    assert all((each["answer"] is None) == (each["failure"] is not None) for each in said)
    questions = [json.dumps(each, sort_keys=True) for each in asked.requests]
    assert len(questions) - len(set(questions)) <= 1, "only what was under way when it was killed"
    assert command("bench", "rescore", out).json["missing"] == {"records": 0, "of": WHOLE}
    reported = command("bench", "report", out, "--out", folder / "page.html")
    assert reported.code == 0, reported.err
    assert any("too few to separate models" in warning for warning in reported.json["warnings"])
