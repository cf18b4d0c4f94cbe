"""The receipt has the promised fields, for real files of every kind."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest

import ingest
from groundwork.errors import InputError, TooManyRejects
from groundwork.vocabulary import canonical
from tests.ingest.oracle import edges_of
from tests.ingest.test_load import Stores

EFFECT = {"total", "added", "changed", "removed", "unchanged"}


@pytest.fixture
def stores(tmp_path) -> Stores:
    return Stores(tmp_path)


def test_the_receipt_of_relations_has_the_promised_shape(stores, data):
    names = ["genuine_relation2pubtator3_lines.tsv", "derived_relation2pubtator3_from_api.tsv"]
    files = [data / "pubtator3" / name for name in names]
    shape = ingest.load_relations(files, stores.graph, stores.settings).to_dict()
    json.dumps(shape, allow_nan=False)
    contents = [file.read_bytes() for file in files]
    assert shape["files"] == [
        {"path": str(file), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for file, content in zip(files, contents, strict=True)
    ]
    assert shape["release"] == hashlib.sha256(b"".join(contents)).hexdigest()[:12]
    assert shape["rows"] == {"read": 48 + 776, "kept": 48 + 776, "rejected": 0}
    assert (shape["rejected_by_reason"], shape["rejects_file"]) == ({}, None)
    assert shape["seconds"] > 0
    assert set(shape["edges"]) == set(shape["concepts"]) == EFFECT
    assert "documents" not in shape
    wanted = {}
    for line in b"".join(contents).decode().splitlines():
        pmid, relation, a, b = line.replace("&gt;", ">").split("\t")
        head, tail = canonical(a, b)
        wanted.setdefault((head, relation, tail), set()).add(int(pmid))
    assert edges_of(stores.graph) == wanted
    assert shape["edges"]["total"] == shape["edges"]["added"] == len(wanted)
    assert shape["concepts"]["total"] == len({key for head, _, tail in wanted for key in (head, tail)})


def test_gzip_and_plain_are_two_releases_of_one_content(stores, data, tmp_path):
    plain = data / "pubtator3" / "genuine_relation2pubtator3_lines.tsv"
    packed = tmp_path / "r.tsv.gz"
    lines = plain.read_bytes().splitlines(keepends=True)
    packed.write_bytes(gzip.compress(b"".join(lines[:20])) + gzip.compress(b"".join(lines[20:])))
    first = ingest.load_relations([plain], stores.graph, stores.settings)
    second = ingest.load_relations([packed], stores.graph, stores.settings)
    assert first.release != second.release
    assert second.files[0].bytes == packed.stat().st_size
    assert second.edges.unchanged == second.edges.total == first.edges.total


def test_the_receipt_of_concepts_lists_the_rejected_rows(stores, data):
    file = data / "pubtator3" / "derived_bioconcepts2pubtator3_from_api.tsv"
    shape = ingest.load_concepts([file], stores.graph, stores.settings).to_dict()
    assert shape["rows"] == {"read": 1700, "kept": 1637, "rejected": 63}
    assert shape["rejected_by_reason"] == {"empty_id": 63}
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    listed = [line.split("\t") for line in Path(shape["rejects_file"]).read_text("utf-8").splitlines()]
    assert [(name, int(number), reason) for name, number, reason, _ in listed] == [
        (str(file), number, "empty_id") for number, row in enumerate(rows, 1) if row[2] == "-"
    ]
    keys = {
        f"{kind}|{one}"
        for _, kind, ident, _, _ in rows
        for one in ([ident] if kind == "Mutation" else ident.split(";"))
        if one != "-"
    }
    assert shape["concepts"]["total"] == len(keys)
    assert set(stores.graph.concepts(keys)) == keys


def test_the_receipt_of_documents_counts_documents_edges_and_concepts(stores, data):
    files = [data / "biored" / name for name in ("Train.PubTator", "Dev.PubTator")]
    shape = ingest.load_documents(files, stores.graph, stores.literature, stores.settings).to_dict()
    assert shape["documents"] == {"total": 500, "added": 500, "changed": 0, "removed": 0, "unchanged": 0}
    assert shape["rows"]["read"] == shape["rows"]["kept"] + shape["rows"]["rejected"]
    assert set(shape["edges"]) == set(shape["concepts"]) == EFFECT
    assert shape["annotations"]["kept"] > 0
    assert stores.literature.info().documents == 500


def test_the_receipt_of_pubmed_counts_documents_only(stores, data):
    file = data / "pubmed_xml" / "pubmedsample_2019.xml.gz"
    shape = ingest.load_pubmed([file], stores.literature, stores.settings).to_dict()
    assert shape["rows"] == {"read": 183, "kept": 183, "rejected": 0}
    assert shape["documents"]["total"] == 176
    assert "edges" not in shape
    assert "concepts" not in shape


def test_a_broken_second_file_changes_nothing(stores, data, tmp_path):
    good = data / "pubtator3" / "genuine_relation2pubtator3_lines.tsv"
    ingest.load_relations([good], stores.graph, stores.settings)
    before = stores.graph.stats()
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(good.read_bytes())[:-12])
    empty = tmp_path / "empty"
    empty.touch()
    for bad in (cut, empty, tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError):
            ingest.load_relations([good, bad], stores.graph, stores.settings)
    assert stores.graph.stats() == before


@pytest.mark.parametrize("kind", ["relations", "concepts", "documents", "pubmed"])
def test_a_file_of_another_kind_is_refused(stores, data, kind):
    file = [data / "genes" / "Homo_sapiens.gene_info.gz"]
    with pytest.raises((InputError, TooManyRejects)):
        match kind:
            case "relations":
                ingest.load_relations(file, stores.graph, stores.settings)
            case "concepts":
                ingest.load_concepts(file, stores.graph, stores.settings)
            case "documents":
                ingest.load_documents(file, stores.graph, stores.literature, stores.settings)
            case _:
                ingest.load_pubmed(file, stores.literature, stores.settings)
    assert not stores.graph.stats().concepts
    assert not stores.literature.info().documents


def test_progress_tells_the_bytes_read_and_the_rows_written(stores, data):
    class RecordedProgress:
        def __init__(self) -> None:
            self.stages = []

        def begin(self, stage, total, unit) -> None:
            self.stages.append([stage, total, unit, 0])

        def advance(self, amount) -> None:
            self.stages[-1][3] += amount

        def note(self, message) -> None:
            raise AssertionError(message)

    told, file = RecordedProgress(), data / "pubtator3" / "genuine_relation2pubtator3_lines.tsv"
    receipt = ingest.load_relations([file], stores.graph, stores.settings, progress=told)
    reading, _, writing, verifying = told.stages
    assert reading == [f"reading {file}", file.stat().st_size, "bytes", file.stat().st_size]
    rows = receipt.edges.added + receipt.concepts.added
    assert writing == ["changing the graph", rows, "rows", rows]
    assert verifying[0] == "verifying"
