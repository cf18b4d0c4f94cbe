"""A generated release and its successor pass through the program at a small size. `python -m benchmarks release`
takes the same steps at any size."""

from pathlib import Path

import pytest

from benchmarks.performance import generated_release


def holds(stats: dict, truth: dict) -> None:
    assert stats["digest"] == truth["digest"]
    assert stats["edges"] == truth["edges_by_relation"]
    assert stats["concepts"] == truth["concepts_by_type"]


@pytest.mark.slow
def test_loads_diff_and_rollback_of_two_releases_have_the_counts_of_the_generator(command, tmp_path):
    first, second = tmp_path / "first.gz", tmp_path / "second.gz"
    old = generated_release.relations(first, rows=40_000, concepts=4000, seed=7, traps=0.005)
    new = generated_release.successor(second, of=first)

    told = load(command, first, old)
    assert told["edges"] == {"total": old["edges"], "added": old["edges"], "changed": 0, "removed": 0, "unchanged": 0}
    assert told["concepts"]["total"] == told["concepts"]["added"] == old["concepts"]

    told = load(command, second, new)
    assert told["edges"] == {"total": new["edges"], **new["difference"]["edges"]}
    assert told["concepts"] == {"total": new["concepts"], **new["difference"]["concepts"]}

    moved = {name: new["difference"]["edges"][name] for name in ("added", "changed", "removed")}
    ids = [found["id"] for found in command("ingest", "releases")["releases"]]
    compared = command("ingest", "diff", *ids)
    assert {name: compared[name] for name in moved} == moved

    back = command("ingest", "activate", ids[0])
    assert back["edges"]["added"] == moved["removed"]
    assert back["edges"]["removed"] == moved["added"]
    assert back["edges"]["changed"] == moved["changed"]
    holds(command("graph", "stats"), old)


def load(command, path: Path, truth: dict) -> dict:
    """Load a release, and compare its receipt and the graph with its known content."""
    told = command("ingest", "relations", path)
    assert told["rows"] == truth["rows"]
    assert told["rejected_by_reason"] == truth["rejected_by_reason"]
    holds(command("graph", "stats"), truth)
    return told
