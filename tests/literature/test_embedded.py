"""Tests of the embedded store alone: its folder, its files, and other processes."""

import json
from dataclasses import fields, replace

import pytest

import literature
from groundwork.errors import DamagedStore, StoreBusy, StoreError
from groundwork.manifest import FileEntry
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from literature import manifest, segment, segments
from literature.segment import Segment
from tests.literature.loads import document, load, other_process


@pytest.fixture
def path(tmp_path):
    return tmp_path / "literature"


@pytest.fixture
def store(path, settings):
    return literature.connect(f"embedded:{path}", settings)


def test_reading_a_missing_store_creates_nothing(path, settings):
    store = literature.connect(f"embedded:{path}", settings, read_only=True)
    assert store.search("pain").hits == ()
    assert store.info().documents == 0
    assert not path.exists()


def test_a_file_in_place_of_the_folder_is_named(path, store):
    path.write_text("not a folder")
    with pytest.raises(StoreError, match=str(path)):
        store.info()
    with pytest.raises(StoreError, match=str(path)), store.writing():
        pass


@pytest.mark.parametrize("content", ["{broken", "{}", "\0\0"])
def test_a_damaged_manifest_is_reported_as_damaged(path, store, content):
    load(store, document(1, "pain"))
    (path / "manifest.json").write_text(content)
    with pytest.raises(DamagedStore, match=r"manifest\.json") as caught:
        store.search("pain")
    assert "ingest rebuild" in caught.value.remedy


def test_segments_without_their_manifest_are_not_read_as_an_empty_store(path, store):
    load(store, document(1, "pain"))
    (path / "manifest.json").unlink()
    with pytest.raises(DamagedStore, match="missing beside segments"):
        store.search("pain")
    with pytest.raises(DamagedStore, match="missing beside segments"), store.writing():
        pass


def test_a_damaged_segment_is_reported_as_damaged(path, store):
    load(store, document(1, "pain"))
    store.close()
    for part in (path / "index").iterdir():
        part.write_bytes(part.read_bytes()[:-5])
    with pytest.raises(DamagedStore, match=r"\.segment has"):
        store.search("pain")


@pytest.mark.parametrize(("format", "error"), [(2, DamagedStore), (99, StoreError)])
def test_an_index_of_another_format_is_refused(path, store, format, error):
    load(store, document(1, "pain"))
    (path / "manifest.json").write_text(json.dumps({"format": format, "releases": [], "wordless": []}))
    with pytest.raises(error, match=f"format {format}") as caught:
        store.info()
    assert ("ingest rebuild" in caught.value.remedy) == (format == 2)


def test_other_values_of_k1_and_b_are_used(path, tmp_path):
    own = Settings(home=tmp_path, k1=0.9, b=0.4)
    store, memory = (literature.connect(address, own) for address in (f"embedded:{path}", "memory:"))
    for one in (store, memory):
        load(one, *(document(pmid, f"pain {'fever ' * pmid}") for pmid in range(1, 20)))
    agree(store, memory, "pain fever")
    assert store.info() == memory.info()


def test_no_dead_document_is_left_in_any_segment(path, store):
    load(store, *(document(pmid, "pain") for pmid in range(1, 50)))
    load(store, *(document(pmid, "fever") for pmid in range(40, 60)))
    with store.writing():
        store.drop([1, 2, 55])
    held = [pmid for name in listed(path) for pmid in Segment.opened(path / "index" / name).pmids.tolist()]
    assert sorted(held) == [*range(3, 55), *range(56, 60)]
    assert sum(listed(path).values()) == 56


def test_many_small_loads_keep_scores_exact(store, settings):
    memory = literature.connect("memory:", settings)
    for step in range(40):
        for one in (store, memory):
            load(one, document(step, f"pain {'fever ' * step}"), document(step // 2, "pain pain"))
    wanted = {hit.pmid: hit.score for hit in memory.search("fever pain", k=99).hits}
    assert {hit.pmid: hit.score for hit in store.search("fever pain", k=99).hits} == pytest.approx(wanted, rel=1e-5)


def test_a_load_is_refused_while_another_process_loads(path, store):
    other = other_process(path, 'with store.writing():\n    print("held", flush=True)\n    time.sleep(60)')
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match="another process"), store.writing():
            pass
        assert store.search("pain").hits == ()
    finally:
        other.kill()
        other.communicate()
    load(store, document(1, "pain"))
    assert [hit.pmid for hit in store.search("pain").hits] == [1]


def test_a_reader_continues_while_its_segments_are_rewritten(path, store):
    load(store, *(document(pmid, "pain") for pmid in range(1, 300)))
    pmids = store.every_pmid()
    assert next(pmids) == 1
    writer = literature.connect(f"embedded:{path}", Settings())
    with writer.writing():
        writer.drop(range(1, 200))
    assert list(pmids) == list(range(2, 300))
    assert store.info().documents == 100


def listed(path) -> dict[str, int]:
    """Return the number of documents of each segment."""
    return {one.name: one.documents for one in manifest.read(path / "manifest.json").segments}


def agree(store, memory, query: str) -> None:
    wanted = memory.search(query, k=10_000).hits
    found = store.search(query, k=10_000).hits
    assert [hit.pmid for hit in found] == [hit.pmid for hit in wanted]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], rel=1e-5, abs=1e-6)


def test_replacing_a_document_rewrites_one_segment_of_bounded_size(path, store, settings, monkeypatch):
    monkeypatch.setattr(segment, "LARGEST", 100)
    memory = literature.connect("memory:", settings)
    for one in (store, memory):
        load(one, *(document(pmid, f"pain {'fever ' * (pmid % 5)}") for pmid in range(1, 951)))
    before = listed(path)
    assert sorted(before.values()) == [50, *[100] * 9]
    for one in (store, memory):
        load(one, document(400, "cough pain"))
    after = listed(path)
    assert len(before.keys() - after.keys()) == 1
    assert sum(after.values()) == 950
    agree(store, memory, "pain fever cough")
    assert list(store.every_pmid()) == list(range(1, 951))


def test_small_segments_of_many_loads_are_joined(path, store, settings, monkeypatch):
    monkeypatch.setattr(segment, "LARGEST", 100)
    memory, most = literature.connect("memory:", settings), 0
    for step in range(60):
        for one in (store, memory):
            load(one, *(document(5 * step + number, f"pain {number}") for number in range(1 + step % 3)))
        most = max(most, len(listed(path)))
    assert most <= 3 * segments._STEP
    assert max(listed(path).values()) <= 100
    agree(store, memory, "pain 1")


def test_files_of_no_segment_are_removed_by_the_next_load(path, store):
    for word in ("pain", "fever", "cough"):
        load(store, document(1, word))
    (path / "index" / "0123456789abcdef0123456789abcdef.segment").write_bytes(b"of a load that was killed")
    load(store, document(2, "rash"))
    assert {file.name for file in (path / "index").iterdir()} == set(listed(path))


def test_a_damaged_draft_is_ignored(path, store):
    with pytest.raises(KeyError), store.writing():
        store.put([document(1, "pain")])
        store.keep("kept")
        raise KeyError
    (path / "draft" / "draft.json").write_text("{broken")
    with store.writing(resume=["kept"]) as reached:
        assert reached == ""
    assert list(store.every_pmid()) == []


def test_an_index_of_format_3_is_read_and_a_load_gives_years_to_the_segments_it_rewrites(
    path, store, settings, monkeypatch
):
    held = [(pmid, 1990 + pmid % 7) for pmid in range(1, 60)]
    articles = (Abstract(pmid, Text("pain", "", year=year, mesh=("Humans",)), None) for pmid, year in held)
    load(store, *articles, document(60, "Reply: pain"))
    hits = store.search("pain", k=100).hits
    assert {(hit.design, hit.organism) for hit in hits} == {(None, "human"), ("notice", None)}
    before = store.pmid_by_year()
    assert len(before) == 7
    known = manifest.read(path / "manifest.json")
    segments, kept = [], {field.name for field in fields(Segment)} - {"years", "notices", "designs", "taxa"}
    for one in known.segments:
        file = path / "index" / one.name
        segment.write_arrays(
            file, {name: each.copy() for name, each in segment.mapped_arrays(file).items() if name in kept}
        )
        entry = FileEntry.of(file)
        segments.append(replace(one, bytes=entry.bytes, sha256=entry.sha256))
    with monkeypatch.context() as older:
        older.setattr(manifest, "FORMAT", 3)
        manifest.write(path / "manifest.json", replace(known, segments=tuple(segments)))
    assert json.loads((path / "manifest.json").read_text())["format"] == 3
    store = literature.connect(f"embedded:{path}", settings)
    assert store.pmid_by_year() == before
    assert store.uncounted().pmids.tolist() == [60]
    assert [hit.pmid for hit in store.search("pain", k=100).hits] == list(range(1, 61))
    assert store.search("pain", k=100).hits == hits
    assert [hit.pmid for hit in store.search("pain", k=100, organism=["human"]).hits] == list(range(1, 60))
    load(store, Abstract(61, Text("pain", "", year=2040), None))  # a segment of its own
    assert store.pmid_by_year() == {**before, 2040: 61}
    dated = [Segment.opened(path / "index" / name).years is not None for name in listed(path)]
    assert sorted(dated) == [False, True]
    load(store, Abstract(3, Text("pain", "", year=2050), None))  # rewrites the segment of format 3
    assert store.pmid_by_year() == {**before, 2040: 61, 2050: 3}
    assert json.loads((path / "manifest.json").read_text())["format"] == manifest.FORMAT
    assert all(Segment.opened(path / "index" / name).years is not None for name in listed(path))
    assert all(Segment.opened(path / "index" / name).notices is not None for name in listed(path))
    assert all(Segment.opened(path / "index" / name).taxa is not None for name in listed(path))
    assert len(store.search("pain", k=100, organism=["human"]).hits) == 58
    assert store.uncounted().pmids.tolist() == [60]
