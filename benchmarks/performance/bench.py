"""Measure the time that the benchmark's runner adds to a model's own time, and the time of running a finished run
again.

The model answers after a fixed time, from a separate process. Knowledge comes from embedded stores with a generated
release and generated abstracts. The model reports when questions and answers came. `in all` compares the time from the
first question to the last answer with the least time that so many answers can take. `later on` compares the mean time
of a round of answers, without the first and the last round, with the time of one answer. `in the end` does the same for
the second half of these rounds. The first questions and answers come in one burst, because all answers take the same
time. Later they spread, so a long run has the pace of the end. The time before the first question and after the last
answer (start, stores, atlas, scoring) is given separately.
"""

import json
import shutil
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from numpy.random import default_rng

from benchmarks.performance import asking
from benchmarks.performance.measure import Run, check, keep, program, say, show, timed
from benchmarks.performance.rivals.texts import records
from benchmarks.performance.slow_model import answering, since
from groundwork.settings import load
from truthhypo import connect
from truthhypo.bench import runner, suite
from truthhypo.bench.entries import Entry, Knowledge
from truthhypo.bench.prepared import PreparedSuite, prepare
from truthhypo.bench.runs import Run as Folder
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.tasks import TASKS
from truthhypo.json_files import RecordFile

SETTINGS = ("parametric", "kg", "lit", "kg+lit")
SAMPLES = 5
MODEL = "openai:m"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("bench", __doc__ or "")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--concepts", type=int, default=20_000)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--instances", type=int, default=512, help="asked in each setting, to measure what is added")
    parser.add_argument("--delay", type=float, default=2.0, help="seconds the model takes for an answer")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--finished", type=int, default=2_024, help="instances of the finished run; 0 leaves it out")
    options = asking.asked(parser, arguments)
    home = _stores(options)
    found: dict[str, list[Run] | str] = {}
    with answering(options.delay) as address:
        given = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
        for setting in SETTINGS:
            found[setting] = [_asked(options, home, setting, given) for _ in range(options.repeat)]
    least = ceil(options.instances / options.concurrency) * options.delay
    title = f"{options.instances} answers of {options.delay:g} s, {options.concurrency} at a time"
    rates = {
        "added in all, per mille": lambda run: 1000 * (run.told["asking"] / least - 1),
        "added later on, per mille": lambda run: 1000 * (run.told["each"] / options.delay - 1),
        "in the end, per mille": lambda run: 1000 * (run.told["end"] / options.delay - 1),
        "before and after, ms": lambda run: 1000 * (run.wall - run.told["asking"]),
        "CPU us an answer": lambda run: 1_000_000 * run.told["cpu"] / options.instances,
    }
    show(title, found, rates)
    if options.finished:
        found["finished"] = [_finished(options, home) for _ in range(options.repeat)]
        show(f"a finished run of {options.finished} x 4 x {SAMPLES}", {"run again": found["finished"]}, {})
    keep(options.json, title, vars(options), found)


def _stores(options: Namespace) -> Path:
    """Return a HOME with both stores, made once."""
    home: Path = options.work / f"bench-{options.rows}-{options.records}"
    if not (home / "ready").is_file():
        shutil.rmtree(home, ignore_errors=True)
        release, _ = asking.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
        articles, truth = asking.articles(options.work, options.records, options.seed)
        say("loading")
        timed(program("ingest", "relations", release, "--home", home))
        timed(program("ingest", "pubmed", *(articles / name for name in truth["baseline"]), "--home", home))
        (home / "ready").touch()
    return home


def _set(options: Namespace, count: int, folder: Path) -> None:
    """Write a set of pairs. Half are related in the graph, names are words of the abstracts, labels are arbitrary."""
    release, _ = asking.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
    articles, truth = asking.articles(options.work, options.records, options.seed)
    rng = default_rng(options.seed)
    texts = [text for _, text in records([articles / truth["baseline"][0]])][:2000]
    words = sorted({word for text in texts for word in text.split() if word.isalpha() and len(word) > 4})
    edges = pq.read_table(release.with_suffix(".parquet"), columns=["head", "tail"]).to_pydict()
    pairs = list(zip(edges["head"], edges["tail"], strict=True))
    found: dict[tuple[str, str], dataset.Instance] = {}
    for place in rng.permutation(len(pairs)).tolist():
        head, tail = pairs[place]
        if len(found) % 2:
            tail = pairs[int(rng.integers(len(pairs)))][1]
        task = TASKS.get((head.partition("|")[0], tail.partition("|")[0]))
        if task is None or head == tail:
            continue
        label = (*task[1:3], "no_relation")[len(found) % 3]
        names = [" ".join(rng.choice(words, 2).tolist()) for _ in range(2)]
        found.setdefault((head, tail), dataset.instance(head, tail, label, *names))
        if len(found) == count:
            break
    dataset.write(folder / "set", tuple(found.values()))


def _suite(folder: Path, settings: Sequence[str], samples: int, limits: str = "") -> Path:
    lines = [f'models = ["{MODEL}"]', f"settings = {json.dumps(settings)}", "[samples]", f"n = {samples}"]
    lines += ["[limits]", limits, "[datasets.set]", 'path = "set"', "before = 100000000"]
    path = folder / "suite.toml"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _asked(options: Namespace, home: Path, setting: str, given: dict[str, str]) -> Run:
    """Run one setting from an empty cache. A second call, which asks nothing, tells the CPU time of start and
    scoring."""
    say(f"{setting}: {options.instances} answers")
    shutil.rmtree(home / "cache", ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        folder = Path(scratch)
        _set(options, options.instances, folder)
        path = _suite(folder, [setting], 1, f"concurrency = {options.concurrency}")
        command = program("bench", "run", path, "--out", folder / "run", "--home", home)
        since(given["OPENAI_BASE_URL"])
        done = timed(command, given)
        asked, answered = since(given["OPENAI_BASE_URL"])
        check("answers", (done.told["answered"], done.told["failed"]), (options.instances, 0))
        check("questions", len(answered), options.instances)
        again = timed(command, given)
        check("asked again", (again.told["written"], since(given["OPENAI_BASE_URL"])), (0, ([], [])))
    many = options.concurrency
    rounds = len(answered) // many - 2
    each, end = (_round(answered[:-many], many, over) for over in (rounds, rounds // 2))
    told = {"asking": answered[-1] - asked[0], "each": each, "end": end, "cpu": done.cpu - again.cpu}
    return replace(done, told=told)


def _round(answered: Sequence[float], many: int, rounds: int) -> float:
    """Return the seconds per round over the last rounds. Only whole rounds count, since answers come in bursts."""
    return (answered[-1] - answered[-1 - many * rounds]) / rounds


def _finished(options: Namespace, home: Path) -> Run:
    """Run a finished run again: no question is asked, and the records do not change."""
    say("a finished run")
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        folder = Path(scratch)
        _set(options, options.finished, folder)
        path, out = _suite(folder, SETTINGS, SAMPLES), Folder(folder / "run")
        settings: dict[str, Any] = {"home": home, "openai_api_key": "none", "openai_base_url": "http://127.0.0.1:1/v1"}
        with connect(load(settings)[0]) as world:
            prepared = prepare(suite.read(str(path)), world)
            out.begin(prepared.manifest)
            with RecordFile(out.records(), unsettled=60.0).appending() as append:
                for entry in _written(prepared):
                    append(entry.to_dict())
        held = out.records().stat()
        given = {"OPENAI_BASE_URL": settings["openai_base_url"], "OPENAI_API_KEY": "none"}
        done = timed(program("bench", "run", path, "--out", out.folder, "--home", home), given)
        check("kept and written", (done.told["kept"], done.told["written"]), (options.finished * 4 * SAMPLES, 0))
        check("the records' time", out.records().stat().st_mtime_ns, held.st_mtime_ns)
    return replace(done, told={"seconds": done.told["seconds"], "bytes": held.st_size})


def _written(prepared: PreparedSuite) -> list[Entry]:
    """Return records like those of a model with much knowledge, rationales of usual length and no judge."""
    items, _ = runner.pending(prepared, MODEL, set(), None)
    best = tuple("Chemical|MESH:D000063626 treat Disease|MESH:D630565 associate Gene|41381850" for _ in range(5))
    knowledge = Knowledge(32, 4000, best, tuple(range(30_000_000, 30_000_032)), "0" * 64)
    said = "The first is reported to act on the second in several of the abstracts. " * 6
    return [
        Entry(
            item.dataset.name,
            item.case.id,
            MODEL,
            item.setting,
            item.sample,
            item.sample,
            item.case.task.labels[place % 3],
            said,
            knowledge=None if item.setting == "parametric" else knowledge,
            seconds=2.0,
        )
        for place, item in enumerate(items)
    ]


if __name__ == "__main__":
    main()
