"""Judge with a slow model: measure how well the allowed concurrency is used, by many texts and by one text of many
claims.

`python -m benchmarks.performance.judging [--texts 32] [--delay 0.5] [--concurrency 1 4 8]`: a server on loopback
answers each call after a delay. The same claims are judged as texts of one claim each, and then as one text, on the
sample release and without a cache.
"""

import argparse
import json
import tempfile
from dataclasses import replace
from os import getloadavg
from pathlib import Path
from time import monotonic, process_time

from groundwork.settings import Settings
from knowhd.options import GroundOptions
from tests.loopback import serving, well
from truthhypo.faces.demo import load_sample
from truthhypo.worker_pool import pool_for
from truthhypo.world import World

STATEMENTS = (
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis.",
)


def measure(home: Path, texts: list[str], delay: float, concurrency: int) -> dict[str, float]:
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


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser()
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
            kind: {str(n): measure(Path(folder), each, asked.delay, n) for n in asked.concurrency}
            for kind, each in given.items()
        }
    told = {"delay": asked.delay, "load": [round(load, 1) for load in (*before, *getloadavg()[:1])], **found}
    print(json.dumps(told, indent=2))  # noqa: T201 - its output


if __name__ == "__main__":
    main()
