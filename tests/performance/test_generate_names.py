"""Generated names and articles: their accounts equal a simple reading, and the program's result."""

import gzip
from collections import Counter
from hashlib import md5
from html import unescape
from pathlib import Path

import pytest

from benchmarks.performance.generator import articles, names
from truthhypo import connect

TYPES = {"Gene", "Disease", "Chemical", "Species", "Mutation", "CellLine"}


def plain(path: Path) -> tuple[Counter, set, Counter]:
    """Return (key, name) -> count, the keys, and the number of rows by outcome."""
    counts: Counter = Counter()
    keys: set = set()
    rows: Counter = Counter()
    for line in gzip.decompress(path.read_bytes()).split(b"\n"):
        found = parsed(line) if line else None
        if isinstance(found, str):
            rows[found] += 1
        elif found:
            rows["kept"] += 1
            keys.update(found[0])
            counts.update((key, name) for key in found[0] for name in found[1])
    return counts, keys, rows


def parsed(line: bytes) -> tuple[list[str], list[str]] | str:
    """Return keys and mentions of a line, or the reason why it is rejected."""
    if len(line) > 1_000_000:
        return "overlong_line"
    if b"\0" in line:
        return "nul_byte"
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError:
        return "invalid_utf8"
    if len(fields) != 5:
        return "wrong_column_count"
    pmid, kind, text, mentions, _ = fields
    if not (pmid.isdecimal() and int(pmid)):
        return "bad_pmid"
    if kind not in TYPES:
        return "unknown_type"
    text = unescape(text)
    idents = [text] if kind == "Mutation" else text.split(";")
    keys = [f"{kind}|{ident}" for ident in idents if ident.strip() not in {"", "-"}]
    return (keys, [name for name in mentions.split("|") if name]) if keys else "empty_id"


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> tuple[Path, dict]:
    path = tmp_path_factory.mktemp("names") / "names.gz"
    return path, names.names(path, rows=20_000, concepts=1500, seed=3, traps=0.005)


@pytest.fixture(scope="module")
def pubmed(tmp_path_factory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("pubmed")
    return folder, articles.articles(folder, records=300, seed=3)


def test_the_account_of_names_is_what_a_plain_reading_finds(named):
    path, told = named
    counts, keys, rows = plain(path)
    assert told["rows"] == {"read": rows.total(), "kept": rows["kept"], "rejected": rows.total() - rows["kept"]}
    assert told["rejected_by_reason"] == {reason: count for reason, count in rows.items() if reason != "kept"}
    assert told["concepts"] == len(keys)
    assert told["concepts_by_type"] == Counter(key.split("|")[0] for key in keys)
    assert told["digest"] == names.digest([(key, name, count) for (key, name), count in counts.items()])
    texts = {name for _, name in counts}
    assert "-" in texts
    assert any('"' in text for text in texts)
    assert any(";" in key for key in keys)


def test_loaded_names_are_those_of_the_account(named, command, home):
    path, told = named
    receipt = command("ingest", "concepts", path, "--max-rejects", "5000")
    assert receipt["rows"] == told["rows"]
    assert receipt["rejected_by_reason"] == told["rejected_by_reason"]
    assert command("graph", "stats")["concepts"] == told["concepts_by_type"]
    with connect(home=home) as world:
        concepts = list(world.graph_store.every_concept())
    found = [
        (concept.key, name, count)
        for concept in concepts
        for name, count in zip(concept.synonyms, concept.counts, strict=True)
        if count  # the program adds the symbols of human genes
    ]
    assert names.digest(found) == told["digest"]


def test_the_same_seed_makes_the_same_names_and_articles(tmp_path):
    made = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        articles.articles(folder, records=30, seed=9)
        names.names(folder / "names.gz", rows=500, concepts=100, seed=9)
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]


def test_every_pubmed_file_has_its_checksum_beside_it(pubmed):
    folder, told = pubmed
    for name in (*told["baseline"], *told["updates"]):
        wanted = md5((folder / name).read_bytes(), usedforsecurity=False).hexdigest()
        assert (folder / f"{name}.md5").read_text() == f"MD5({name})= {wanted}\n"


def test_loaded_articles_are_those_of_the_account(pubmed, command, home):
    folder, told = pubmed
    assert told["update"]["removed"] and told["after_updates"]["retracted"]
    for part in ("baseline", "updates"):
        receipt = command("ingest", "pubmed", *(folder / name for name in told[part]))
        assert receipt["rows"]["kept"] == told["rows"][part]
        with connect(home=home) as world:
            found = world.literature.get(world.literature.every_pmid())
        texts = [(pmid, article.text) for pmid, article in found.items()]
        rows = [(pmid, t.title, t.abstract, t.year, t.journal, t.retracted) for pmid, t in texts]
        assert articles.digest(rows) == told[f"after_{part}"]["digest"]
    assert receipt["documents"]["total"] == told["after_updates"]["documents"]
    assert {name: receipt["documents"][name] for name in ("added", "changed", "removed")} == told["update"]
