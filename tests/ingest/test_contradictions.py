"""Pairs of concepts that exclude each other: rejected rows, what a file replaces, and what later loads change."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

import ingest
from groundwork import inventory
from groundwork.errors import InputError, Refused, TooManyRejects
from groundwork.inventory import Holdings
from groundwork.records import Contradiction
from groundwork.vocabulary import CONTRADICTS
from tests.contracts.conftest import STORES
from tests.ingest.kinds import loaded
from tests.ingest.oracle import Load
from tests.ingest.test_load import Stores

A, B, C, D = "Gene|1", "Gene|2", "Disease|MESH:3", "CellLine|CVCL:0004"
ALL = Load("relations", [(1, "associate", A, B), (2, "associate", C, D)])
WITHOUT_D = Load("relations", [(1, "associate", A, B), (2, "associate", A, C)])


@pytest.fixture(params=STORES)
def stores(request, tmp_path) -> Stores:
    """Stores of each kind of graph, with four concepts."""
    with loaded(request, tmp_path, ALL) as made:
        yield made


def load(stores: Stores, text: str | bytes, **options) -> ingest.Receipt:
    file = stores.folder / "pairs.tsv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return ingest.load_contradictions([file], stores.graph, stores.settings, **options)


def held(stores: Stores) -> list[tuple[str, str]]:
    rows = [row for batch in stores.graph.beside() for row in batch.to_pylist()]
    return sorted((row["a"], row["b"]) for row in rows if row["kind"] == CONTRADICTS)


def test_pairs_are_held_once_in_canonical_order_and_the_same_file_changes_nothing(stores):
    digest = stores.graph.stats().digest
    text = f"{B}\t{A}\r\n\n{A}\t{B}\n{D}\t{C}\n"
    first = load(stores, text)
    assert held(stores) == [(C, D), (A, B)]
    assert first.contradictions == ingest.Effect(total=2, added=2, changed=0, removed=0, unchanged=0)
    assert first.rows == ingest.receipt.Rows(3, 3, 0)
    assert first.verified == ingest.receipt.Verification(0, 0, 2)
    again = load(stores, text)
    assert again.contradictions == ingest.Effect(total=2, added=0, changed=0, removed=0, unchanged=2)
    assert stores.graph.stats().digest == digest


def test_the_receipt_has_the_shape_of_other_receipts_without_edges(stores):
    shape = load(stores, f"{A}\t{B}\n").to_dict()
    assert set(shape) == {
        *("release", "files", "rows", "rejected_by_reason", "rejects_file", "seconds", "source", "dry_run"),
        *("contradictions", "verified"),
    }
    assert shape["release"] == shape["files"][0]["sha256"][:12]
    assert shape["rejects_file"] is None


def test_a_file_replaces_the_whole_set(stores):
    load(stores, f"{A}\t{B}\n{A}\t{C}\n")
    second = load(stores, f"{A}\t{B}\n{B}\t{C}\n")
    assert held(stores) == [(C, B), (A, B)]
    assert second.contradictions == ingest.Effect(total=2, added=1, changed=0, removed=1, unchanged=1)


def test_a_bad_row_is_counted_by_reason_and_written_down_with_its_line(stores):
    lines = {
        f"{A}\t{B}\t{C}": "wrong_column_count",
        A: "wrong_column_count",
        f"{A}\tThing|1": "unknown_type",
        f"Gene|-\t{A}": "empty_id",
        f"{A}\t{A}": "same_concept",
        f"{A}\tGene|404": "unknown_concept",
        f"{A}\0\t{B}": "nul_byte",
        f"{A}\t{B}\xff": "invalid_utf8",
        f"{A}\t{'x' * 1_000_001}": "overlong_line",
    }
    text = "".join(f"{line}\n" for line in lines).encode("latin-1") + f"{A}\t{B}\n".encode()
    receipt = load(stores, text)
    assert receipt.rows == ingest.receipt.Rows(len(lines) + 1, 1, len(lines))
    assert sum(receipt.rejected_by_reason.values()) == len(lines)
    written = [line.split("\t")[1:3] for line in Path(receipt.rejects_file).read_text("utf-8").splitlines()]
    assert written == [[str(number), reason] for number, reason in enumerate(lines.values(), 1)]
    assert held(stores) == [(A, B)]


def test_too_many_rejects_change_nothing(stores):
    load(stores, f"{A}\t{B}\n")
    with pytest.raises(TooManyRejects, match="unknown_concept"):
        load(stores, f"{A}\t{C}\nGene|404\t{A}\n", max_rejects=0)
    with pytest.raises(TooManyRejects, match="at least one row"):
        load(stores, f"Gene|404\t{A}\n")
    with pytest.raises(InputError, match="no row"):
        load(stores, "\n\n")
    assert held(stores) == [(A, B)]


def test_a_dry_run_tells_the_effect_and_changes_nothing(stores):
    load(stores, f"{A}\t{B}\n")
    told = load(stores, f"{A}\t{C}\n", dry_run=True)
    assert told.contradictions == ingest.Effect(total=1, added=1, changed=0, removed=1, unchanged=0)
    assert (told.dry_run, told.verified) == (True, None)
    assert held(stores) == [(A, B)]


def test_several_files_are_one_set_and_may_be_compressed(stores):
    one, other = stores.folder / "one.tsv.gz", stores.folder / "other.tsv"
    one.write_bytes(gzip.compress(f"{A}\t{B}\n".encode()))
    other.write_text(f"{C}\t{D}")
    receipt = ingest.load_contradictions([one, other], stores.graph, stores.settings)
    assert [file.path for file in receipt.files] == [str(one), str(other)]
    assert held(stores) == [(C, D), (A, B)]


def test_other_loads_keep_the_pairs_except_those_of_removed_concepts(stores):
    load(stores, f"{A}\t{B}\n{C}\t{D}\n")
    receipt = stores.load(ALL)
    assert "contradictions" not in receipt.to_dict()
    assert held(stores) == [(C, D), (A, B)]
    stores.load(WITHOUT_D)
    assert held(stores) == [(A, B)]
    stores.load(ALL)
    assert load(stores, f"{A}\t{B}\n{C}\t{D}\n").contradictions.added == 1
    assert held(stores) == [(C, D), (A, B)]


def test_an_interrupted_write_is_repaired_by_the_same_file(stores, monkeypatch):
    load(stores, f"{A}\t{B}\n")
    whole = stores.graph.put_contradictions

    def half(source, pairs):
        whole(source, list(pairs)[:1])
        raise KeyboardInterrupt

    text = f"{A}\t{C}\n{B}\t{D}\n"
    with monkeypatch.context() as patched:
        patched.setattr(stores.graph, "put_contradictions", half)
        with pytest.raises(KeyboardInterrupt):
            load(stores, text)
    shown = held(stores)  # the embedded store shows nothing of a change that is not complete
    assert shown == ([(A, B)] if stores.graph.address.startswith("embedded:") else [(C, A)])
    load(stores, text)
    assert held(stores) == [(C, A), (B, D)]


def test_pairs_that_the_graph_does_not_store_are_reported(stores, monkeypatch):
    monkeypatch.setattr(stores.graph, "put_contradictions", lambda source, pairs: None)
    with pytest.raises(Refused, match=r"contains 0 of them.*Gene\|1 - Gene\|2"):
        load(stores, f"{A}\t{B}\n")


def test_pairs_that_another_program_wrote_are_reported(stores):
    with stores.graph.writing():
        stores.graph.put_contradictions("theirs", [Contradiction(C, D, "theirs")])
    with pytest.raises(Refused, match="another program"):
        load(stores, f"{A}\t{B}\n")


def test_pairs_are_refused_until_an_interrupted_load_is_finished(stores):
    begun = replace(stores.graph.releases()[0], id="other", state="loading")
    with stores.graph.writing():
        stores.graph.put_release(begun)
    inventory.note(stores.settings.home, "embedded:graph", Holdings((), {"pubtator3:other": ["/some/other.txt"]}))
    with pytest.raises(InputError, match=r"a load of pubtator3:other \(other\.txt\) into"):
        load(stores, f"{A}\t{B}\n")
    assert held(stores) == []
