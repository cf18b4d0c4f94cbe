"""The generator: its account of a file equals a simple reading of the file, and the program's result."""

import gzip
import json
from collections import Counter
from hashlib import blake2b, sha256
from html import unescape
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.performance import generate
from benchmarks.performance.generator import mix, release

RELATIONS = {*mix.RELATIONS, "convert"}
TYPES = ("Chemical", "Disease", "Gene", "Species", "CellLine", "DNAMutation", "ProteinMutation", "SNP", "Mutation")
RANKS = dict(zip(TYPES, (0, 1, 2, 4, 5, 3, 3, 3, 3), strict=True))


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
    generate.main(
        f"relations --rows 30000 --concepts 3000 --traps 0.005 --out {first} --truth {folder / 'first.parquet'}".split()
    )
    generate.main(["successor", "--of", str(first), "--out", str(second)])
    return first, second


def truth(path: Path) -> dict:
    return json.loads(release.account(path).read_text("utf-8"))


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
        release.relations(path, rows=2000, concepts=400, seed=seed)
    same, again, other = (path.read_bytes() for path in paths)
    assert same == again != other


def test_the_mix_is_that_of_the_real_file(tmp_path):
    path = tmp_path / "plain.tsv"
    told = release.relations(path, rows=100_000, concepts=8000, traps=0.0)
    wanted: Counter = Counter()
    for (relation, _, _), share in mix.ROWS.items():
        wanted[relation] += share
    for relation, share in wanted.items():
        found = told["edges_by_relation"][relation] / told["edges"]
        assert found == pytest.approx(share / wanted.total(), rel=0.1, abs=0.001), relation
    rows = path.read_text("utf-8").splitlines()
    assert sum("Mutation|" in row or "SNP|" in row for row in rows) / len(rows) == pytest.approx(0.028, abs=0.01)
    assert any("&gt;" in row for row in rows)


def test_pairs_are_ordered_as_in_the_real_file(tmp_path):
    path = tmp_path / "plain.tsv"
    release.relations(path, rows=50_000, concepts=4000, traps=0.0)
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
    release.relations(path, rows=5000, concepts=800, traps=0.0)
    pmids = [int(line.split("\t")[0]) for line in path.read_text("utf-8").splitlines()]
    runs = [pmid for place, pmid in enumerate(pmids) if place == 0 or pmids[place - 1] != pmid]
    assert len(runs) == len(set(runs))
    assert runs != sorted(runs)


def test_hubs_and_evidence_have_heavy_tails(tmp_path):
    told = release.relations(tmp_path / "a.gz", rows=100_000, concepts=8000)
    mean = 2 * told["edges"] / told["concepts"]
    assert told["largest_degree"] > 20 * mean
    assert told["most_pmids"] > 100
    assert told["evidence"] / told["edges"] == pytest.approx(3.2, abs=0.4)


def test_more_edges_than_the_concepts_can_have_are_refused(tmp_path):
    with pytest.raises(ValueError, match="ask for more concepts"):
        release.relations(tmp_path / "a.gz", rows=100_000, concepts=40)


def test_a_successor_of_a_successor_or_of_an_unknown_file_is_refused(pair, tmp_path):
    with pytest.raises(ValueError, match="successor itself"):
        release.successor(tmp_path / "third.gz", of=pair[1])
    with pytest.raises(ValueError, match="no account"):
        release.successor(tmp_path / "third.gz", of=tmp_path / "nothing.gz")
