"""How long a loaded Neo4j takes to answer the saved queries of Neo4j Browser: first with a new plan, then again.

The queries ask about the concept with the most relations, its best supported neighbour and the newest release.
"""

import re
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from neo4j import Driver, GraphDatabase

_HUB = "MATCH (c:Concept) RETURN c.key AS key, c.name AS name ORDER BY COUNT { (c)--() } DESC LIMIT 1"
_BESIDE = "MATCH (:Concept {key: $key})-[r]-(c:Concept) RETURN c.key AS key ORDER BY r.articles DESC, key LIMIT 1"
_RELEASE = "MATCH ()-[r:ASSOCIATE]->() RETURN r.changed_in AS id LIMIT 1"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a Markdown table: seconds, rows, and the operators that find nodes or edges."""
    parser = ArgumentParser(prog="python -m benchmarks.performance.saved_queries", description=__doc__)
    parser.add_argument("address", help="a Neo4j without password, such as bolt://127.0.0.1:7687")
    parser.add_argument(
        "--queries", type=Path, default=Path(str(files("cypher") / "browser")), help="folder of queries"
    )
    options = parser.parse_args(arguments)
    with GraphDatabase.driver(options.address, notifications_min_severity="OFF") as driver:
        known = _parameters(driver)
        driver.execute_query("CALL db.clearQueryCaches()")
        sys.stdout.write("| query | first run s | second run s | rows | found by |\n|---|---|---|---|---|\n")
        for file in sorted(options.queries.glob("*.cypher")):
            sys.stdout.write(f"| {file.stem} | {_measured(driver, file.read_text('utf-8'), known)} |\n")


def _measured(driver: Driver, text: str, known: dict[str, Any]) -> str:
    asked = {name: known[name] for name in re.findall(r"\$(\w+)", text)}
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        rows = driver.execute_query(text, asked).records
        seconds.append(f"{time.perf_counter() - started:.2f}")
    plan = driver.execute_query(f"EXPLAIN {text}", asked).summary.plan
    found = sorted(filter(re.compile("Scan|Seek|CountStore|Procedure").search, _operators(plan)))
    return " | ".join([*seconds, str(len(rows)), ", ".join(found)])


def _operators(plan: Any) -> set[str]:
    return {plan["operatorType"].split("@")[0]}.union(*map(_operators, plan.get("children", [])))


def _parameters(driver: Driver) -> dict[str, Any]:
    [hub] = driver.execute_query(_HUB).records
    [beside] = driver.execute_query(_BESIDE, key=hub["key"]).records
    [release] = driver.execute_query(_RELEASE).records
    asked = {"head": hub["key"], "tail": beside["key"], "release": release["id"], "name": hub["name"][:6]}
    return {**asked, "before": 20_000_000, "least": 5}


if __name__ == "__main__":
    main()
