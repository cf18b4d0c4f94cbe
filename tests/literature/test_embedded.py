"""What is the embedded store's own: its folder, its files, other processes."""

import fcntl
import json
from threading import Thread

import pytest

import literature
from groundwork.errors import DamagedStore, InputError, StoreBusy, StoreError
from groundwork.settings import Settings
from literature import segments
from tests.literature.loads import document, load, other_process


@pytest.fixture
def path(tmp_path):
    return tmp_path / "literature"


@pytest.fixture
def store(path, settings):
    return literature.connect(f"embedded:{path}", settings)


def test_reading_what_is_not_there_creates_nothing(path, settings):
    store = literature.connect(f"embedded:{path}", settings, read_only=True)
    assert store.search("pain").hits == ()
    assert store.info().documents == 0
    assert not path.exists()


def test_releases_are_told_while_another_process_opens_the_index(path, store):
    """A load that is stopped just then keeps that lock; a second load asks for the releases and is to be refused."""
    load(store, document(1, "pain"))
    store.close()
    with (path / "index" / ".tantivy-meta.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = []
        asking = Thread(target=lambda: told.append(store.releases()), daemon=True)
        asking.start()
        asking.join(20)
        in_time = list(told)
    assert in_time == [store.releases()]


def test_a_file_in_place_of_the_folder_is_named(path, store):
    path.write_text("not a folder")
    with pytest.raises(StoreError, match=str(path)):
        store.info()
    with pytest.raises(StoreError, match=str(path)), store.writing():
        pass


@pytest.mark.parametrize("name", ["index/meta.json", "manifest.json"])
@pytest.mark.parametrize("content", ["{broken", "{}", "\0\0"])
def test_a_damaged_file_is_said_to_be_damaged(path, store, name, content):
    load(store, document(1, "pain"))
    (path / name).write_text(content)
    with pytest.raises(DamagedStore, match=name) as caught:
        store.search("pain")
    assert "ingest rebuild" in caught.value.remedy


def test_a_damaged_segment_is_said_to_be_damaged(path, store):
    load(store, document(1, "pain"))
    store.close()
    for part in (path / "index").glob("*.idx"):
        part.write_bytes(part.read_bytes()[:-5])
    with pytest.raises(DamagedStore, match=r"\.idx has"):
        store.search("pain")


def test_an_index_of_another_format_is_refused(path, store):
    load(store, document(1, "pain"))
    (path / "manifest.json").write_text(json.dumps({"format": 99, "releases": [], "wordless": []}))
    with pytest.raises(StoreError, match="format 99"):
        store.info()


def test_another_k1_or_b_than_tantivys_is_refused(path, tmp_path):
    with pytest.raises(InputError, match=r"k1 = 0\.9"):
        literature.connect(f"embedded:{path}", Settings(home=tmp_path, k1=0.9))


def test_no_dead_document_is_left_in_any_segment(path, store):
    load(store, *(document(pmid, "pain") for pmid in range(1, 50)))
    load(store, *(document(pmid, "fever") for pmid in range(40, 60)))
    with store.writing():
        store.drop([1, 2, 55])
    segments = json.loads((path / "index/meta.json").read_text())["segments"]
    assert [segment["deletes"] for segment in segments] == [None] * len(segments)
    assert sum(segment["max_doc"] for segment in segments) == 56


def test_many_small_loads_keep_scores_exact(store, settings):
    memory = literature.connect("memory:", settings)
    for step in range(40):
        for one in (store, memory):
            load(one, document(step, f"pain {'fever ' * step}"), document(step // 2, "pain pain"))
    wanted = {hit.pmid: hit.score for hit in memory.search("fever pain", k=99).hits}
    assert {hit.pmid: hit.score for hit in store.search("fever pain", k=99).hits} == pytest.approx(wanted, rel=1e-5)


def test_another_process_that_loads_is_waited_for_or_named(path, store):
    other = other_process(path, 'with store.writing():\n    print("held", flush=True)\n    time.sleep(60)')
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match="another run"), store.writing():
            pass
        assert store.search("pain").hits == ()
    finally:
        other.kill()
        other.communicate()
    load(store, document(1, "pain"))
    assert [hit.pmid for hit in store.search("pain").hits] == [1]


def test_a_reader_goes_on_while_its_segments_are_rewritten(path, store):
    load(store, *(document(pmid, "pain") for pmid in range(1, 300)))
    pmids = store.every_pmid()
    assert next(pmids) == 1
    writer = literature.connect(f"embedded:{path}", Settings())
    with writer.writing():
        writer.drop(range(1, 200))
    assert list(pmids) == list(range(2, 300))
    assert store.info().documents == 100


def listed(path) -> dict[str, int]:
    """Documents by segment."""
    return {one["segment_id"]: one["max_doc"] for one in json.loads((path / "index/meta.json").read_text())["segments"]}


def agree(store, memory, query: str) -> None:
    wanted = memory.search(query, k=10_000).hits
    found = store.search(query, k=10_000).hits
    assert [hit.pmid for hit in found] == [hit.pmid for hit in wanted]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], rel=1e-5, abs=1e-6)


def test_a_replaced_document_costs_one_segment_of_bounded_size(path, store, settings, monkeypatch):
    monkeypatch.setattr(segments, "LARGEST", 100)
    memory = literature.connect("memory:", settings)
    for one in (store, memory):
        load(one, *(document(pmid, f"pain {'fever ' * (pmid % 5)}") for pmid in range(1, 951)))
    before = listed(path)
    assert (len(before), sum(before.values()), max(before.values())) == (10, 950, 95)
    for one in (store, memory):
        load(one, document(400, "cough pain"))
    after = listed(path)
    assert len(before.keys() - after.keys()) == 1
    assert sum(after.values()) == 950
    agree(store, memory, "pain fever cough")
    assert list(store.every_pmid()) == list(range(1, 951))


def test_small_segments_of_many_loads_are_joined(path, store, settings, monkeypatch):
    monkeypatch.setattr(segments, "LARGEST", 100)
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
    (path / "index" / "building").mkdir()
    (path / "index" / "0123456789abcdef0123456789abcdef.idx").write_bytes(b"of a load that was killed")
    load(store, document(2, "rash"))
    names = {file.name.split(".")[0] for file in (path / "index").iterdir() if file.suffix not in {".json", ".lock"}}
    assert names == {segment.replace("-", "") for segment in listed(path)}


def test_a_draft_that_cannot_be_read_is_no_draft(path, store):
    with pytest.raises(KeyError), store.writing():
        store.put([document(1, "pain")])
        store.keep("kept")
        raise KeyError
    (path / "draft" / "draft.json").write_text("{broken")
    with store.writing(resume=["kept"]) as reached:
        assert reached == ""
    assert list(store.every_pmid()) == []
