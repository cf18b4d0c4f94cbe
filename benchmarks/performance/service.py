"""Measure a warm service, and make files to fill its HOME with."""

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from statistics import quantiles
from time import monotonic, perf_counter, sleep
from typing import Any
from urllib.parse import urlencode

from benchmarks import parser_of
from benchmarks.performance.generated_release import relations

#: Pairs of concepts that have names. The name of a concept without names is the end of its key.
_EDGES = """
MATCH (a:Concept)-[:TREAT]-(b:Concept) WHERE NOT a.key ENDS WITH a.name AND NOT b.key ENDS WITH b.name
RETURN a.key, b.key, a.name, b.name LIMIT 1000
"""
_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"]
#: Forms of names, by type.
_FORMS = {"Chemical": "{}mab", "Disease": "{} syndrome", "Gene": "{}"}
_STATED = {
    "treat": "treats",
    "cause": "causes",
    "inhibit": "inhibits",
    "stimulate": "stimulates",
    "prevent": "prevents",
}
_OPENING = "{0} and {1} have been discussed in small trials and in animal models."
_PLAIN = (
    "Patients were followed for 24 weeks, and {0} was measured at each visit.",
    "We did not find a relation between {0} and {1} in the control group.",
    "The response to {0} was larger in patients with low {1} (p < 0.05).",
    "Further studies of {0} are needed, since few of them lasted longer than a year.",
    "The groups did not differ in age, in sex, or in the number of earlier treatments.",
)
_KEPT = 200_000  # maximum number of rows that articles are about


class Client:
    """A connection that is kept open. Its own cost is small.

    Args:
        address: HOST:PORT of the service.
    """

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(address, timeout=120)

    def ask(self, path: str, given: Mapping[str, Any] | None = None, sent: object = None) -> tuple[int, Any]:
        """Return status and JSON of an answer. The request is a POST if `sent` is given."""
        where = f"/api/v1/{path}" + (f"?{urlencode(given)}" if given else "")
        body = None if sent is None else json.dumps(sent)
        self._connection.request("POST" if body else "GET", where, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        told = answer.read()
        return answer.status, json.loads(told) if told else None


class Questions:
    """Requests drawn from the served graph.

    Args:
        pairs: Keys and names of related concepts.
    """

    def __init__(self, pairs: Sequence[Sequence[str]]) -> None:
        self._pairs = pairs

    def ask(self, operation: str, client: Client, chance: random.Random) -> int:
        """Send a request, a different one each time, and return the status."""
        (head, _, name, _), (_, tail, _, other) = chance.choice(self._pairs), chance.choice(self._pairs)
        match operation.split(", "):
            case ["find"]:
                return client.ask("concepts", {"q": name})[0]
            case ["search"]:
                return client.ask("literature", {"q": f"{name} {other}"})[0]
            case ["chains", hops]:
                return client.ask("chains", {"head": head, "tail": tail, "hops": hops[0]})[0]
        return client.ask("ground", sent={"text": self.text(chance)})[0]

    def text(self, chance: random.Random) -> str:
        """Return a claim that an edge states."""
        _, _, head, tail = chance.choice(self._pairs)
        return f"{head} treats {tail}."


LOOK_UPS = ("find", "search", "chains, 2 hops", "chains, 3 hops")


@contextmanager
def job(address: str, questions: Questions) -> Iterator[None]:
    """Run a job in the service meanwhile, and cancel it at the end."""
    client, chance = Client(address), random.Random(1)
    _, told = client.ask("jobs", sent={"kind": "ground", "texts": [questions.text(chance) for _ in range(5000)]})
    while client.ask(f"jobs/{told['id']}")[1]["done"] < 1:
        sleep(0.1)
    yield
    assert client.ask(f"jobs/{told['id']}/cancel", sent={})[1]["done"] < 5000


def measured(address: str, questions: Questions, operation: str, clients: int, seconds: float) -> dict[str, Any]:
    """Return latencies in ms, requests per second and statuses. Each client sends one request after the other."""
    until = monotonic() + seconds

    def work(seed: int) -> tuple[list[float], Counter[int]]:
        client, chance, times, statuses = Client(address), random.Random(seed), [], Counter()
        while monotonic() < until:
            begun = perf_counter()
            statuses[questions.ask(operation, client, chance)] += 1
            times.append((perf_counter() - begun) * 1000)
        return times, statuses

    begun = monotonic()
    with ThreadPoolExecutor(clients) as pool:
        found = list(pool.map(work, range(clients)))
    took = monotonic() - begun
    times = sorted(each for one, _ in found for each in one)
    cuts = quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
    return {
        "requests": len(times),
        "per_second": round(len(times) / took, 1),
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "statuses": {str(status): count for status, count in sum((each for _, each in found), Counter()).items()},
    }


def service(arguments: Sequence[str] | None = None) -> None:
    """Measure how long a warm service takes to answer, by operation and number of clients, and while a job runs.

        truthhypo --home HOME serve --port 8000
        python -m benchmarks service 127.0.0.1:8000 --seconds 5 --clients 1 8 32

    Names, pairs and texts are drawn from the graph that is served, so requests differ. `served_home` makes files to
    fill HOME with.
    """
    parser = parser_of(service)
    parser.add_argument("address")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    asked = parser.parse_args(arguments)
    _, found = Client(asked.address).ask("cypher", sent={"query": _EDGES})
    questions = Questions(found["rows"])

    def tell(operation: str, clients: int, beside: str = "") -> None:
        figures = measured(asked.address, questions, operation, clients, asked.seconds)
        line = {"operation": operation, "clients": clients, "beside": beside, **figures}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    for operation in (*LOOK_UPS, "ground"):
        measured(asked.address, questions, operation, 1, 1.0)  # for warming up
        for clients in asked.clients:
            tell(operation, clients)
    for operation in LOOK_UPS:  # in turns, because the speed of the machine varies
        tell(operation, 1)
        with job(asked.address, questions):
            tell(operation, 1, "a job")


def served_home(arguments: Sequence[str] | None = None) -> None:
    """Files to fill a HOME with that is worth serving: a large graph, names of its concepts, and abstracts about its
    edges.

        python -m benchmarks service FOLDER --rows 5000000 --concepts 60000 --articles 100000
        truthhypo --home HOME ingest concepts FOLDER/names.tsv
        truthhypo --home HOME ingest relations FOLDER/relations.gz
        truthhypo --home HOME ingest pubmed FOLDER/articles.jsonl

    Names and abstracts are made up, but read as English: each article states the relation of one edge and mentions
    others.
    """
    parser = parser_of(served_home)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--articles", type=int, default=100_000)
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    file = asked.folder / "relations.gz"
    relations(file, rows=asked.rows, concepts=asked.concepts, traps=0.0)
    names, rows = _read(file, chance)
    with (asked.folder / "names.tsv").open("w", encoding="utf-8") as out:
        out.writelines(
            f"{n}\t{key.replace('|', chr(9), 1)}\t{name}\tPubTator3\n" for n, (key, name) in enumerate(names.items(), 1)
        )
    with (asked.folder / "articles.jsonl").open("w", encoding="utf-8") as out:
        for pmid in range(1, asked.articles + 1):
            title, text = _article(*chance.choice(rows), list(names.values()), chance)
            out.write(json.dumps({"id": f"pubmed{pmid}", "PMID": pmid, "title": title, "content": text}) + "\n")


def _read(file: Path, chance: random.Random) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """Return a name for every concept of a release, and some of its rows with names in place of keys."""
    words, names, rows = _words(chance), dict[str, str](), list[tuple[str, str, str]]()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            _, relation, head, tail = line.rstrip("\n").split("\t")
            for key in (head, tail):
                if key not in names:
                    names[key] = _FORMS.get(key.partition("|")[0], "{} variant").format(next(words))
            if len(rows) < _KEPT:
                rows.append((relation, names[head], names[tail]))
    return names, rows


def _words(chance: random.Random) -> Iterator[str]:
    every = ["".join(parts) for parts in product(_SYLLABLES, repeat=4)] + [
        "".join(parts) for parts in product(_SYLLABLES, repeat=5)
    ]
    chance.shuffle(every)
    return map(str.capitalize, every)


def _article(relation: str, head: str, tail: str, others: Sequence[str], chance: random.Random) -> tuple[str, str]:
    """Return title and abstract of an article that states a relation."""
    stated = f"{head} {_STATED.get(relation, 'is associated with')} {tail}."
    more = [form.format(*chance.choices((head, tail, chance.choice(others)), k=2)) for form in chance.sample(_PLAIN, 4)]
    return f"{head} in {tail}", " ".join([_OPENING.format(head, tail), *more, f"In conclusion, {stated}"])
