"""Real files are loaded into every store by the commands: counts equal the files, all graphs are equal, nothing is
lost."""

import gzip
import re
from pathlib import Path
from uuid import uuid4

import pytest
from neo4j import GraphDatabase

import ingest
from truthhypo import connect

RELATION_LINE = rb"^\d+\t(?!\d+\t\d+\t)[A-Za-z_]+\t[^\t]+\t[^\t]+(\t[^\t]*)?\r?$"
UNNORMALISED = rb"^\d+\t\w+\t-\t"
#: Kind, files, and the pattern by which grep would count the rows of these files.
LOADS = [
    ("relations", ["pubtator3/genuine_relation2pubtator3_lines.tsv"], rb"^[^\n]+$"),
    ("relations", ["pubtator3/derived_relation2pubtator3_from_api.tsv"], rb"^[^\n]+$"),
    ("concepts", ["pubtator3/derived_bioconcepts2pubtator3_from_api.tsv"], rb"^[^\n]+$"),
    ("documents", ["biored/Train.PubTator", "biored/Dev.PubTator"], RELATION_LINE),
    ("documents", ["bc5cdr/CDR_TrainingSet.PubTator.txt"], RELATION_LINE),
    ("documents", ["pubtator3/22429397_full_240916.pubtator"], RELATION_LINE),
    ("documents", ["pubtator3/22429397_abstract_240916.pubtator"], RELATION_LINE),
    ("documents", ["pubtator3/demo_pubtator.biocjson"], rb'"role1"'),
    ("documents", ["pubtator_legacy/1-sample-annotations.txt"], RELATION_LINE),
    ("pubmed", ["pubmed_xml/pubmedsample_2019.xml.gz"], rb"<PubmedArticle>|(?<=<PMID Version=\"1\">)DELETED"),
]
#: Places in `LOADS` of files that load in seconds.
SMALL = (0, 2, 7, 8, 9)


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.servers, pytest.mark.slow])])
def stores(request, tmp_path, monkeypatch) -> list[str]:
    """Options that name empty stores."""
    if request.param == "embedded":
        return ["--home", str(tmp_path / "home")]
    bolt, http = request.getfixturevalue("neo4j_address"), request.getfixturevalue("elasticsearch_address")
    with GraphDatabase.driver(bolt) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    monkeypatch.setenv("TRUTHHYPO_LITERATURE_INDEX", f"real-{uuid4().hex[:8]}")
    return ["--home", str(tmp_path / "home"), "--graph", bolt, "--literature", http]


@pytest.fixture(scope="session", params=["some", pytest.param("all", marks=pytest.mark.slow)])
def chosen(request) -> list[tuple[str, list[str], bytes]]:
    """The loads of a test: all, or the small ones of each kind."""
    return LOADS if request.param == "all" else [LOADS[number] for number in SMALL]


@pytest.fixture(scope="session")
def in_memory(chosen, data, tmp_path_factory) -> str:
    """Digest of the graph in the memory stores after all loads. It is the expected value."""
    loads = {
        "relations": lambda world, files: ingest.load_relations(files, world.graph_store, world.settings),
        "concepts": lambda world, files: ingest.load_concepts(files, world.graph_store, world.settings),
        "documents": lambda world, files: ingest.load_documents(
            files, world.graph_store, world.literature_store, world.settings
        ),
        "pubmed": lambda world, files: ingest.load_pubmed(files, world.literature_store, world.settings),
    }
    with connect(
        home=tmp_path_factory.mktemp("memory"), graph="memory:", literature="memory:", read_only=False
    ) as world:
        for kind, names, _ in chosen:
            loads[kind](world, [str(data / name) for name in names])
        return world.graph.stats().digest


def test_real_files_load_completely_and_a_second_load_changes_nothing(command, stores, data, chosen, in_memory):
    totals = {}
    for kind, names, row in chosen:
        files = [data / name for name in names]
        rows = sum(len(re.findall(row, content(file), re.MULTILINE)) for file in files)
        if kind == "pubmed":
            deleted = re.search(rb"<DeleteCitation>.*?</DeleteCitation>", content(files[0]), re.DOTALL)
            rows += deleted.group().count(b"<PMID") if deleted else 0
        first = command(*stores, "ingest", kind, *files)
        assert first.code == 0, first.err
        unnormalised = sum(len(re.findall(UNNORMALISED, content(file), re.MULTILINE)) for file in files)
        rejected = unnormalised if kind == "concepts" else 0
        assert first.json["rows"] == {"read": rows, "kept": rows - rejected, "rejected": rejected}, names
        again = command(*stores, "ingest", kind, *files)
        for what in {"edges", "concepts", "documents"} & set(again.json):
            counts = again.json[what]
            assert counts["added"] == counts["changed"] == counts["removed"] == 0, (names, what)
            assert counts["total"] == counts["unchanged"]
            totals[what] = counts["total"]
    stats = command(*stores, "graph", "stats").json
    assert sum(stats["edges"].values()) == totals["edges"]
    assert sum(stats["concepts"].values()) == totals["concepts"]
    # All: 500 BioRED, 1,000 BC5CDR (90 in both), 1 and 200 API, 132 legacy, 176 PubMed. Each article counts once.
    pmids = {
        int(pmid)
        for kind, names, _ in chosen
        for name in names
        if kind == "documents"
        for pmid in re.findall(rb'(?:^|"_id": ")(\d+)\|(?:t\||None)', content(data / name), re.MULTILINE)
    }
    records = {
        int(pmid)
        for pmid in re.findall(rb'<MedlineCitation[^>]*>\s*<PMID Version="\d+">(\d+)', content(data / chosen[-1][1][0]))
    }
    assert totals["documents"] == len(pmids | records)
    assert stats["digest"] == in_memory


@pytest.mark.parametrize(
    ("kind", "content", "seen"),
    [
        ("relations", b"", "no row"),
        ("relations", b"\x1f\x8b\x08\x00truncated", "gz"),
        ("pubmed", b"<PubmedArticleSet><PubmedArticle>", ""),
        ("documents", b"\n\n", "no row"),
    ],
)
def test_a_file_that_cannot_be_read_to_its_end_is_exit_code_2_and_changes_nothing(
    command, tmp_path, kind, content, seen
):
    path = tmp_path / ("bad.gz" if content.startswith(b"\x1f\x8b") else "bad.txt")
    path.write_bytes(content)
    told = command("--home", tmp_path / "home", "ingest", kind, path)
    assert told.code == 2
    assert str(path) in told.err
    assert seen in told.err
    assert command("--home", tmp_path / "home", "graph", "stats").json["concepts"] == {}


@pytest.mark.parametrize("path", [".", "missing.tsv"])
def test_a_folder_or_a_missing_file_is_exit_code_2(command, tmp_path, path):
    assert command("--home", tmp_path / "home", "ingest", "relations", tmp_path / path).code == 2


def test_bad_rows_are_rejected_one_by_one_with_line_and_reason(command, tmp_path):
    good = b"1\ttreat\tChemical|MESH:D1\tDisease|MESH:D2"
    rows = [
        good,
        b"2\ttreat\tChemical|MESH:D1",
        b"3\tmarries\tChemical|MESH:D1\tDisease|MESH:D2",
        b"4\ttreat\tPlanet|X\tDisease|MESH:D2",
        b"5\ttreat\tChemical|-\tDisease|MESH:D2",
        b"6\ttreat\tChemical|\tDisease|MESH:D2",
        b"0\ttreat\tChemical|MESH:D1\tDisease|MESH:D2",
        b"seven\ttreat\tChemical|MESH:D1\tDisease|MESH:D2",
        b"8\ttreat\tChemical|MESH:\xff\tDisease|MESH:D2",
        b"9\ttreat\tChemical|MESH:\x00\tDisease|MESH:D2",
        b"10\ttreat\tChemical|" + b"x" * 10_000_000 + b"\tDisease|MESH:D2",
        b"11\ttreat\tChemical|MESH:D1\tDisease|MESH:D2\r",
        b"",
    ]
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"\n".join(rows) + b"\n")
    told = command("--home", tmp_path / "home", "ingest", "relations", path)
    assert told.code == 0, told.err
    assert told.json["rows"] == {"read": 12, "kept": 2, "rejected": 10}
    assert sum(told.json["rejected_by_reason"].values()) == 10
    rejects = Path(told.json["rejects_file"])
    assert rejects.is_absolute()
    lines = [line.split("\t") for line in rejects.read_text("utf-8").splitlines()]
    assert [int(line[1]) for line in lines if line[1].isdigit()] == list(range(2, 12))
    [edge] = command("--home", tmp_path / "home", "graph", "edges", "Chemical|MESH:D1", "Disease|MESH:D2").json["edges"]
    assert edge["pmids"] == [11, 1]


def test_more_rejects_than_allowed_change_nothing_and_the_receipt_is_printed(command, tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"1\ttreat\tChemical|MESH:D1\tDisease|MESH:D2\n" + b"bad\n" * 3)
    told = command("--home", tmp_path / "home", "ingest", "relations", path, "--max-rejects", 2)
    assert told.code == 1
    assert told.json["rows"] == {"read": 4, "kept": 1, "rejected": 3}
    assert command("--home", tmp_path / "home", "graph", "stats").json["edges"] == {}


@pytest.mark.slow
def test_two_corpora_give_the_same_graph_in_both_orders(command, data, tmp_path):
    """99 articles are in both corpora. As one source, BioRED after BC5CDR gives 6,685 edges, and before it 5,921."""
    corpora = {
        "bc5cdr": ["bc5cdr/CDR_TrainingSet.PubTator.txt"],
        "biored": ["biored/Train.PubTator", "biored/Dev.PubTator"],
    }
    found = []
    for number, order in enumerate((sorted(corpora), sorted(corpora, reverse=True))):
        home = ("--home", tmp_path / str(number))
        for source in order:
            files = [data / name for name in corpora[source]]
            told = command("ingest", "documents", "--source", source, *files, *home)
            assert (told.code, told.json["edges"]["removed"], told.json["replaced"]["documents"]) == (0, 0, 0)
        stats = command("graph", "stats", *home).json
        found.append((stats["digest"], stats["edges"], stats["concepts"]))
    assert found[0] == found[1]
    assert sum(found[0][1].values()) == 6718
