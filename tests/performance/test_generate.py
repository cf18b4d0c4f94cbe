"""The generator: its account of a file equals a simple reading of the file, and the program's result."""

import gzip
import json
from collections import Counter
from hashlib import blake2b, md5, sha256
from html import unescape
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.performance import generate, generated_graph, generated_release
from truthhypo import connect

RELATIONS = {*generated_graph.RELATIONS, "convert"}
TYPES = ("Chemical", "Disease", "Gene", "Species", "CellLine", "DNAMutation", "ProteinMutation", "SNP", "Mutation")
RANKS = dict(zip(TYPES, (0, 1, 2, 4, 5, 3, 3, 3, 3), strict=True))
NAMED_TYPES = {"Gene", "Disease", "Chemical", "Species", "Mutation", "CellLine"}


def read(path: Path) -> tuple[dict, Counter]:
    """Read a release in the simplest way. Return edges with their PMIDs, and the number of rows by outcome."""
    edges: dict[tuple[str, str, str], set[int]] = {}
    rows: Counter = Counter()
    for line in gzip.decompress(path.read_bytes()).split(b"\n"):
        line = line.removesuffix(b"\r")
        if line:
            reason = reject(line)
            rows[reason or "kept"] += 1
            if reason is None:
                pmid, relation, a, b = line.decode().split("\t")
                head, tail = sorted(map(unescape, (a, b)), key=place)
                edges.setdefault((head, relation, tail), set()).add(int(pmid))
    return edges, rows


def place(key: str) -> tuple:
    kind, ident = key.split("|", 1)
    return RANKS[kind], ident, kind


def reject(line: bytes) -> str | None:
    if len(line) > 1_000_000:
        return "overlong_line"
    if b"\0" in line:
        return "nul_byte"
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError:
        return "invalid_utf8"
    if len(fields) != 4:
        return "wrong_column_count"
    if not (fields[0].isdecimal() and int(fields[0])):
        return "bad_pmid"
    if fields[1] not in RELATIONS:
        return "unknown_relation"
    ends = [field.partition("|") for field in fields[2:]]
    if any(kind not in TYPES for kind, _, _ in ends):
        return "unknown_type"
    return "empty_id" if any(ident in {"", "-"} for _, _, ident in ends) else None


def digest(edges: dict) -> str:
    lines = ("\t".join((*edge, ",".join(map(str, sorted(pmids))))) for edge, pmids in edges.items())
    return sha256(b"".join(sorted(blake2b(line.encode(), digest_size=16).digest() for line in lines))).hexdigest()


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> tuple[Path, Path]:
    """A small release and its successor, as the command line makes them."""
    folder = tmp_path_factory.mktemp("releases")
    first, second = folder / "first.gz", folder / "second.gz"
    generate.generate(
        f"relations --rows 30000 --concepts 3000 --traps 0.005 --out {first} --truth {folder / 'first.parquet'}".split()
    )
    generate.generate(["successor", "--of", str(first), "--out", str(second)])
    return first, second


def truth(path: Path) -> dict:
    return json.loads(generated_release.account(path).read_text("utf-8"))


@pytest.mark.parametrize("number", [0, 1])
def test_the_account_equals_a_simple_reading_of_the_file(pair, number):
    edges, rows = read(pair[number])
    told = truth(pair[number])
    assert told["rows"] == {"read": rows.total(), "kept": rows["kept"], "rejected": rows.total() - rows["kept"]}
    assert told["rejected_by_reason"] == {reason: count for reason, count in rows.items() if reason != "kept"}
    assert told["edges"] == len(edges)
    assert told["edges_by_relation"] == Counter(relation for _, relation, _ in edges)
    assert told["evidence"] == sum(map(len, edges.values()))
    assert told["most_pmids"] == max(map(len, edges.values()))
    held = {key for head, _, tail in edges for key in (head, tail)}
    assert told["concepts"] == len(held)
    assert told["concepts_by_type"] == Counter(key.split("|")[0] for key in held)
    assert told["digest"] == digest(edges)


def test_the_difference_equals_that_of_two_simple_readings(pair):
    (old, _), (new, _) = map(read, pair)
    both = old.keys() & new.keys()
    changed = sum(old[edge] != new[edge] for edge in both)
    assert truth(pair[1])["difference"]["edges"] == {
        "added": len(new.keys() - old.keys()),
        "changed": changed,
        "removed": len(old.keys() - new.keys()),
        "unchanged": len(both) - changed,
    }
    assert changed == pytest.approx(0.02 * len(old), abs=1)
    assert len(old.keys() - new.keys()) == pytest.approx(0.01 * len(old), abs=1)
    ends = [{key for head, _, tail in edges for key in (head, tail)} for edges in (old, new)]
    told = truth(pair[1])["difference"]["concepts"]
    assert (told["added"], told["removed"]) == (len(ends[1] - ends[0]), len(ends[0] - ends[1]))


def test_the_table_holds_every_edge_with_its_pmids(pair):
    rows = pq.read_table(pair[0].with_name("first.parquet")).to_pylist()
    table = {(row["head"], row["relation"], row["tail"]): row["pmids"] for row in rows}
    assert table == {edge: sorted(pmids) for edge, pmids in read(pair[0])[0].items()}


def test_the_same_seed_makes_the_same_bytes_and_another_seed_makes_others(tmp_path):
    paths = [tmp_path / name for name in ("a.gz", "b.gz", "c.gz")]
    for path, seed in zip(paths, (5, 5, 6), strict=True):
        generated_release.relations(path, rows=2000, concepts=400, seed=seed)
    same, again, other = (path.read_bytes() for path in paths)
    assert same == again != other


def test_the_mix_is_that_of_the_real_file(tmp_path):
    path = tmp_path / "plain.tsv"
    told = generated_release.relations(path, rows=100_000, concepts=8000, traps=0.0)
    wanted: Counter = Counter()
    for (relation, _, _), share in generated_graph.ROWS.items():
        wanted[relation] += share
    for relation, share in wanted.items():
        found = told["edges_by_relation"][relation] / told["edges"]
        assert found == pytest.approx(share / wanted.total(), rel=0.1, abs=0.001), relation
    rows = path.read_text("utf-8").splitlines()
    assert sum("Mutation|" in row or "SNP|" in row for row in rows) / len(rows) == pytest.approx(0.028, abs=0.01)
    assert any("&gt;" in row for row in rows)


def test_pairs_are_ordered_as_in_the_real_file(tmp_path):
    path = tmp_path / "plain.tsv"
    generated_release.relations(path, rows=50_000, concepts=4000, traps=0.0)
    seen = set()
    for line in path.read_text("utf-8").splitlines():
        _, _, a, b = line.split("\t")
        kinds = tuple("Variant" if RANKS[key.split("|")[0]] == 3 else key.split("|")[0] for key in (a, b))
        seen.add(kinds)
        assert kinds[0] != kinds[1] or a <= b
    assert {("Disease", "Variant"), ("Variant", "Disease")} <= seen
    assert not seen & {("Disease", "Chemical"), ("Gene", "Disease"), ("Gene", "Chemical"), ("Variant", "Chemical")}


def test_rows_of_an_article_stand_together_and_articles_are_in_random_order(tmp_path):
    path = tmp_path / "plain.tsv"
    generated_release.relations(path, rows=5000, concepts=800, traps=0.0)
    pmids = [int(line.split("\t")[0]) for line in path.read_text("utf-8").splitlines()]
    runs = [pmid for place, pmid in enumerate(pmids) if place == 0 or pmids[place - 1] != pmid]
    assert len(runs) == len(set(runs))
    assert runs != sorted(runs)


def test_hubs_and_evidence_have_heavy_tails(tmp_path):
    told = generated_release.relations(tmp_path / "a.gz", rows=100_000, concepts=8000)
    mean = 2 * told["edges"] / told["concepts"]
    assert told["largest_degree"] > 20 * mean
    assert told["most_pmids"] > 100
    assert told["evidence"] / told["edges"] == pytest.approx(3.2, abs=0.4)


def test_more_edges_than_the_concepts_can_have_are_refused(tmp_path):
    with pytest.raises(ValueError, match="ask for more concepts"):
        generated_release.relations(tmp_path / "a.gz", rows=100_000, concepts=40)


def test_a_successor_of_a_successor_or_of_an_unknown_file_is_refused(pair, tmp_path):
    with pytest.raises(ValueError, match="successor itself"):
        generated_release.successor(tmp_path / "third.gz", of=pair[1])
    with pytest.raises(ValueError, match="no account"):
        generated_release.successor(tmp_path / "third.gz", of=tmp_path / "nothing.gz")


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
    if kind not in NAMED_TYPES:
        return "unknown_type"
    text = unescape(text)
    idents = [text] if kind == "Mutation" else text.split(";")
    keys = [f"{kind}|{ident}" for ident in idents if ident.strip() not in {"", "-"}]
    return (keys, [name for name in mentions.split("|") if name]) if keys else "empty_id"


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> tuple[Path, dict]:
    path = tmp_path_factory.mktemp("names") / "names.gz"
    return path, generate.names(path, rows=20_000, concepts=1500, seed=3, traps=0.005)


@pytest.fixture(scope="module")
def pubmed(tmp_path_factory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("pubmed")
    return folder, generate.articles(folder, records=300, seed=3)


def test_the_account_of_names_is_what_a_plain_reading_finds(named):
    path, told = named
    counts, keys, rows = plain(path)
    assert told["rows"] == {"read": rows.total(), "kept": rows["kept"], "rejected": rows.total() - rows["kept"]}
    assert told["rejected_by_reason"] == {reason: count for reason, count in rows.items() if reason != "kept"}
    assert told["concepts"] == len(keys)
    assert told["concepts_by_type"] == Counter(key.split("|")[0] for key in keys)
    assert told["digest"] == generate.digest_names([(key, name, count) for (key, name), count in counts.items()])
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
    assert generate.digest_names(found) == told["digest"]


def test_the_same_seed_makes_the_same_names_and_articles(tmp_path):
    made = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        generate.articles(folder, records=30, seed=9)
        generate.names(folder / "names.gz", rows=500, concepts=100, seed=9)
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
        assert generate.digest_articles(rows) == told[f"after_{part}"]["digest"]
    assert receipt["documents"]["total"] == told["after_updates"]["documents"]
    assert {name: receipt["documents"][name] for name in ("added", "changed", "removed")} == told["update"]
