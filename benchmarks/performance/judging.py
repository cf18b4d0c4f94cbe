"""Judge claims and run the benchmark, and measure how fast that is and how well a slow model is used."""

import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from argparse import Namespace
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from os import getloadavg
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any
from urllib.request import urlopen

import pyarrow.parquet as pq
from numpy.random import default_rng

from benchmarks import parser_of
from benchmarks.performance import measure
from benchmarks.performance.measure import ONE_THREAD, REPOSITORY, Run, check, keep, module, program, say, show, timed
from benchmarks.performance.rivals_loading import records
from groundwork.language import sentences
from groundwork.settings import Settings, load
from knowhd.options import GroundOptions
from tests.conftest import DATA
from tests.loopback import serving, well
from truthhypo import connect
from truthhypo.bench import runner, suite
from truthhypo.bench.reader.table import read_documents
from truthhypo.bench.runner import PreparedSuite, prepare
from truthhypo.bench.runs import Entry, Knowledge
from truthhypo.bench.runs import Run as Folder
from truthhypo.faces.demo import load_sample
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.options import TASKS
from truthhypo.json_files import RecordFile
from truthhypo.worker_pool import pool_for
from truthhypo.world import World

DOCUMENTS = ("biored/Train.PubTator", "biored/Dev.PubTator", "bc5cdr/CDR_TrainingSet.PubTator.txt")
#: The first PMID of the records. No real PMID is as large.
_NEW = 100_000_000
VERBS = ("causes", "lowers", "raises", "is associated with")
STATEMENTS = (
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis.",
)
SETTINGS = ("parametric", "kg", "lit", "kg+lit")
SAMPLES = 5
MODEL = "openai:m"


@contextmanager
def answering(delay: float) -> Iterator[str]:
    """Start such a model for the time of the benchmark, and yield its address."""
    with Popen(module("slow_model", delay), cwd=REPOSITORY, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def since(address: str) -> tuple[list[float], list[float]]:
    """Return the times of questions and of answers since the last call, each ascending."""
    with urlopen(address, timeout=10) as reply:
        told = json.loads(reply.read())
    return told["asked"], told["answered"]


async def serve(delay: float) -> None:
    """Answer until the process is ended."""
    asked_at: list[float] = []
    answered_at: list[float] = []

    async def said(head: bytes, reader: StreamReader) -> dict[str, Any]:
        if head.startswith(b"GET"):
            told = {"asked": list(asked_at), "answered": list(answered_at)}
            asked_at.clear()
            answered_at.clear()
            return told
        asked_at.append(time.monotonic())
        asked = json.loads(await reader.readexactly(_length(head)))
        await asyncio.sleep(delay)
        answered_at.append(time.monotonic())
        return _reply(asked)

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = json.dumps(await said(head, reader)).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 24)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    return next(int(value) for name, _, value in lines if name == b"content-length")


def _reply(asked: dict[str, Any]) -> dict[str, Any]:
    label = asked["response_format"]["json_schema"]["schema"]["$defs"]["Label"]["enum"][0]
    said = {"rationale": "The first is reported to act on the second. " * 4, "relation": label}
    message = {"role": "assistant", "content": json.dumps(said), "refusal": None}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760},
    }


def slow_model() -> None:
    """Answer as a model that always takes DELAY seconds."""
    asyncio.run(serve(float(sys.argv[1])))


def statements(paths: Sequence[Path], count: int, seed: int) -> list[str]:
    """Return sentences about related pairs with the documents' own names. The verb is drawn and may be wrong."""
    draw = random.Random(seed)
    told = list(dict.fromkeys(_stated(paths, draw)))
    draw.shuffle(told)
    return told[:count]


def _stated(paths: Sequence[Path], draw: random.Random) -> Iterator[str]:
    for document in read_documents(paths):
        names = {each.key: each.mention for each in reversed(document.annotations)}
        for head, _, tail in document.relations:
            if head in names and tail in names:
                yield f"{names[head][:1].upper()}{names[head][1:]} {draw.choice(VERBS)} {names[tail]}."


def recombined(paths: Sequence[Path], out: Path, count: int, seed: int) -> Path:
    """Write PubMed records: real titles and abstracts in which half of the sentences, drawn by chance, are replaced by
    other real sentences."""
    draw = random.Random(seed)
    known = {document.pmid: document for document in read_documents(paths)}.values()
    told = [(each.title, [sentence.text for sentence in sentences(each.abstract)]) for each in known]
    pool = [sentence for _, abstract in told for sentence in abstract]
    with out.open("w", encoding="utf-8") as file:
        for pmid in range(_NEW, _NEW + count):
            title, own = told[pmid % len(told)]
            abstract = " ".join(draw.choice((sentence, draw.choice(pool))) for sentence in own)
            file.write(json.dumps({"id": f"pubmed{pmid}", "PMID": pmid, "title": title, "content": abstract}) + "\n")
    return out


def grounding(arguments: Sequence[str] | None = None) -> None:
    """Measure claims judged per second by the rules: `ground --file` on one core, right after a load and once more.

    `python -m benchmarks judging [--claims 500] [--abstracts 0] [--names 0]`: real documents (BioRED, BC5CDR) are
    loaded into embedded stores, and sentences about pairs that they relate are judged. `--abstracts` adds PubMed
    records made of the sentences of these documents, so that they name concepts which must be linked (the words of
    `generate articles` do not). `--names` adds generated names of other concepts.
    """
    parser = measure.parser(grounding)
    parser.add_argument("--claims", type=int, default=500)
    parser.add_argument("--abstracts", type=int, default=0, help="PubMed records beside the real documents")
    parser.add_argument("--names", type=int, default=0, help="generated names beside those of the real documents")
    options = measure.asked(parser, arguments)
    paths = [DATA / name for name in DOCUMENTS]
    with TemporaryDirectory() as scratch:
        home, texts = Path(scratch) / "home", Path(scratch) / "texts.txt"
        texts.write_text("\n".join(statements(paths, options.claims, options.seed)), "utf-8")
        timed(program("ingest", "documents", *paths, "--home", home))
        if options.abstracts:
            records = recombined(paths, Path(scratch) / "records.jsonl", options.abstracts, options.seed)
            timed(program("ingest", "pubmed", records, "--home", home))
        if options.names:
            names, _ = measure.names(options.work, options.names, options.names * 3 // 10, options.seed, 0)
            # Some generated mentions have no id, as in the real file; they are rejected.
            timed(program("ingest", "concepts", names, "--home", home, "--max-rejects", options.names))
        rates = {}
        for name in ("first", "second"):
            out = Path(scratch) / f"{name}.jsonl"
            done = timed(program("ground", "--file", texts, "--out", out, "--home", home), ONE_THREAD)
            claims = sum(len(json.loads(line).get("claims", ())) for line in out.read_text("utf-8").splitlines())
            rates[name] = {"claims": claims, "seconds": round(done.wall, 1), "cpu": round(done.cpu, 1)}
            rates[name]["claims_per_second"] = round(claims / done.wall, 1)
    measure.tell(claims=options.claims, abstracts=options.abstracts, names=options.names, **rates)


def busy(home: Path, texts: list[str], delay: float, concurrency: int) -> dict[str, float]:
    """Return the seconds, CPU seconds and calls, and the share of the allowed concurrency that calls used."""
    with serving(lambda asked: replace(well(asked), delay=delay)) as server:
        settings = Settings(
            home=home,
            model="openai:m",
            openai_base_url=server.address,
            model_cache=False,
            model_concurrency=concurrency,
        )
        with World(settings) as world:
            world.ground(texts[0])  # imports modules and opens stores before the timing
            server.requests.clear()
            pool, model = pool_for(world.model)
            asked = GroundOptions()
            began, worked = monotonic(), process_time()
            for _, done in pool.run(lambda text: world.judging.grounded(text, asked, model), texts):
                done.result()
            seconds, cpu = monotonic() - began, process_time() - worked
            calls = len(server.requests)
    busy = calls * delay / (seconds * concurrency)
    return {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "calls": calls, "busy": round(busy, 3)}


def judging() -> None:
    """Judge with a slow model: measure how well the allowed concurrency is used, by many texts and by one text of many
    claims.

    `python -m benchmarks judging [--texts 32] [--delay 0.5] [--concurrency 1 4 8]`: a server on loopback
    answers each call after a delay. The same claims are judged as texts of one claim each, and then as one text, on the
    sample release and without a cache.
    """
    parser = parser_of(judging)
    parser.add_argument("--texts", type=int, default=32, help="texts, and claims of the one text")
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 4, 8])
    asked = parser.parse_args()
    before = getloadavg()[:1]
    texts = [STATEMENTS[number % len(STATEMENTS)] for number in range(asked.texts)]
    with tempfile.TemporaryDirectory() as folder:
        with World(Settings(home=Path(folder)), read_only=False) as world:
            load_sample(world)
        given = {"texts": texts, "one_text": [" ".join(texts)]}
        found = {
            kind: {str(n): busy(Path(folder), each, asked.delay, n) for n in asked.concurrency}
            for kind, each in given.items()
        }
    told = {"delay": asked.delay, "load": [round(load, 1) for load in (*before, *getloadavg()[:1])], **found}
    print(json.dumps(told, indent=2))  # noqa: T201 - its output


def bench(arguments: Sequence[str] | None = None) -> None:
    """Measure the time that the benchmark's runner adds to a model's own time, and the time of running a finished run
    again.

    The model answers after a fixed time, from a separate process. Knowledge comes from embedded stores with a generated
    release and generated abstracts. The model reports when questions and answers came. `in all` compares the time from
    the first question to the last answer with the least time that so many answers can take. `later on` compares the
    mean time of a round of answers, without the first and the last round, with the time of one answer. `in the end`
    does the same for the second half of these rounds. The first questions and answers come in one burst, because all
    answers take the same time. Later they spread, so a long run has the pace of the end. The time before the first
    question and after the last answer (start, stores, atlas, scoring) is given separately.
    """
    parser = measure.parser(bench)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--concepts", type=int, default=20_000)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--instances", type=int, default=512, help="asked in each setting, to measure what is added")
    parser.add_argument("--delay", type=float, default=2.0, help="seconds the model takes for an answer")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--finished", type=int, default=2_024, help="instances of the finished run; 0 leaves it out")
    options = measure.asked(parser, arguments)
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
        release, _ = measure.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
        articles, truth = measure.articles(options.work, options.records, options.seed)
        say("loading")
        timed(program("ingest", "relations", release, "--home", home))
        timed(program("ingest", "pubmed", *(articles / name for name in truth["baseline"]), "--home", home))
        (home / "ready").touch()
    return home


def _set(options: Namespace, count: int, folder: Path) -> None:
    """Write a set of pairs. Half are related in the graph, names are words of the abstracts, labels are arbitrary."""
    release, _ = measure.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
    articles, truth = measure.articles(options.work, options.records, options.seed)
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
            prepared = prepare(suite.read_suite(str(path)), world)
            out.begin(prepared.manifest)
            with RecordFile(out.records, unsettled=60.0).appending() as append:
                for entry in _written(prepared):
                    append(entry.to_dict())
        held = out.records.stat()
        given = {"OPENAI_BASE_URL": settings["openai_base_url"], "OPENAI_API_KEY": "none"}
        done = timed(program("bench", "run", path, "--out", out.folder, "--home", home), given)
        check("kept and written", (done.told["kept"], done.told["written"]), (options.finished * 4 * SAMPLES, 0))
        check("the records' time", out.records.stat().st_mtime_ns, held.st_mtime_ns)
    return replace(done, told={"seconds": done.told["seconds"], "bytes": held.st_size})


def _written(prepared: PreparedSuite) -> list[Entry]:
    """Return records like those of a model with much knowledge, rationales of usual length and no judge."""
    items, _ = runner.pending(prepared, MODEL, set())
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
