"""How long a running service takes to answer, warm, by operation and number of clients.

    truthhypo --home HOME serve --port 8000
    python -m tests.performance.service http://127.0.0.1:8000 --seconds 5 --clients 1 8 32

Names, pairs and texts are drawn from the graph that is served, so each request is another one.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import quantiles
from time import monotonic, perf_counter
from typing import Any

import httpx2

Ask = Callable[[httpx2.Client, random.Random], httpx2.Response]

#: Pairs of concepts that have names: the name of another ends its key.
_EDGES = """
MATCH (a:Concept)-[:TREAT]-(b:Concept) WHERE NOT a.key ENDS WITH a.name AND NOT b.key ENDS WITH b.name
RETURN a.key, b.key, a.name, b.name LIMIT 1000
"""


def asks(pairs: Sequence[Sequence[str]]) -> dict[str, Ask]:
    """The operations that are measured, each with a way to ask it something else every time."""

    def look(path: str, fill: Callable[[random.Random], dict[str, Any]]) -> Ask:
        return lambda client, chance: client.get(f"/api/v1/{path}", params=fill(chance))

    def ends(chance: random.Random) -> dict[str, str]:
        return {"head": chance.choice(pairs)[0], "tail": chance.choice(pairs)[1]}

    def ground(client: httpx2.Client, chance: random.Random) -> httpx2.Response:
        _, _, head, tail = chance.choice(pairs)
        return client.post("/api/v1/ground", json={"text": f"{head} treats {tail}."})

    return {
        "find": look("concepts", lambda chance: {"q": chance.choice(pairs)[2]}),
        "search": look("literature", lambda chance: {"q": " ".join(chance.choice(pairs)[2:])}),
        "chains, 2 hops": look("chains", lambda chance: {**ends(chance), "hops": 2}),
        "chains, 3 hops": look("chains", lambda chance: {**ends(chance), "hops": 3}),
        "ground": ground,
    }


def measured(address: str, ask: Ask, clients: int, seconds: float) -> dict[str, Any]:
    """Latencies in ms, requests a second and statuses, of so many clients that ask one request after the other."""
    until = monotonic() + seconds

    def work(seed: int) -> tuple[list[float], Counter[int]]:
        chance, times, statuses = random.Random(seed), [], Counter()
        with httpx2.Client(base_url=address, timeout=120) as client:
            while monotonic() < until:
                begun = perf_counter()
                statuses[ask(client, chance).status_code] += 1
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every operation with every number of clients, and print a JSON line of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.performance.service", description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    asked = parser.parse_args(arguments)
    with httpx2.Client(base_url=asked.address, timeout=120) as client:
        pairs = client.post("/api/v1/cypher", json={"query": _EDGES}).json()["rows"]
    for name, ask in asks(pairs).items():
        measured(asked.address, ask, 1, 1.0)  # warm
        for clients in asked.clients:
            line = {"operation": name, "clients": clients, **measured(asked.address, ask, clients, asked.seconds)}
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
