"""Tests of the embedded store alone: its folder, its files, and other processes."""

import json
import subprocess
from dataclasses import fields, replace
from textwrap import dedent

import pytest

import literature
from groundwork.errors import DamagedStore, StoreBusy, StoreError
from groundwork.manifest import FileEntry
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from literature import manifest, segment, segments
from literature.segment import Segment
from tests.literature.corpus import document, load, other_process


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


def test_a_load_that_was_killed_leaves_no_trace_and_can_be_repeated(path, store):
    load(store, document(1, "pain"), document(2, "pain"))
    other = other_process(
        path,
        """
        with store.writing():
            store.drop([1])
            store.put(Abstract(pmid, None, Text("pain", "")) for pmid in range(2, 20_000))
            print("put", flush=True)
            sys.stdin.close()
            time.sleep(60)
        """,
    )
    assert other.stdout.readline() == "put\n"
    other.kill()
    other.communicate()
    assert list(store.every_pmid()) == [1, 2]
    load(store, document(3, "pain"))
    assert [hit.pmid for hit in store.search("pain").hits] == [1, 2, 3]


def test_a_load_killed_while_it_commits_ends_in_the_same_state_when_repeated(path, store):
    body = """
        with store.writing():
            store.put(Abstract(pmid, None, Text(f"pain {pmid}", "fever " * 30)) for pmid in range(1, 4000))
            print("put", flush=True)
        print("done", flush=True)
        """
    for seconds in (0.05, 0.15, 0.3):
        other = other_process(path, body)
        assert other.stdout.readline() == "put\n"
        try:
            other.wait(seconds)
        except subprocess.TimeoutExpired:
            other.kill()
        other.communicate()
        assert store.info().documents in {0, 3999}
    other = other_process(path, body)
    assert other.communicate()[0] == "put\ndone\n"
    assert list(store.every_pmid()) == list(range(1, 4000))
    assert sum(one.documents for one in manifest.read(path / "manifest.json").segments) == 3999


KILLED_AT_LINES = """
    import shutil
    from pathlib import Path

    WATCHED = {
        "embedded.py": {"finish"},
        "segments.py": {"changed", "_sweep", "_without", "_joined", "_saved"},
        "arrays.py": {"write"},
        "manifest.py": {"write", "replace"},
        "draft.py": {"open"},
    }

    def load(folder, die_at):
        left = die_at

        def watch(frame, event, _):
            nonlocal left
            if frame.f_code.co_name not in WATCHED.get(Path(frame.f_code.co_filename).name, ()):
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    os._exit(9)
            return watch

        store = literature.connect(f"embedded:{folder}", Settings())
        sys.settrace(watch)
        with store.writing():
            store.put(CHANGES)
        os._exit(0)

    killed, status = 0, 9
    while status == 9:
        killed += STEP
        folder = Path(f"{store.address.removeprefix('embedded:')}-{killed}")
        if Path(BASE).exists():
            shutil.copytree(BASE, folder)
        child = os.fork()
        if child == 0:
            load(folder, killed)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(killed, status)
"""

WORDED, WORDLESS = Text("Zinc title", ""), Text("of", "the")
DOCUMENTS = [Abstract(1, None, WORDED), Abstract(2, None, WORDLESS)]
CROSSED = [Abstract(1, Text("The", "of"), WORDED), Abstract(2, Text("Copper", "gold"), WORDLESS)]


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("before", "changes"),
    [
        pytest.param([], DOCUMENTS, id="first load"),
        pytest.param(DOCUMENTS, CROSSED, id="a document loses its tokens, another gains some"),
        pytest.param(DOCUMENTS, [Abstract(2, Text("The", ""), WORDLESS)], id="no document in the index changes"),
    ],
)
def test_a_load_killed_at_any_line_of_its_commit_is_visible_wholly_or_not_at_all(
    tmp_path, settings, before, changes, step
):
    base = tmp_path / "base"
    if before:
        load(literature.connect(f"embedded:{base}", settings), *before)
    given = f"BASE, CHANGES, STEP = {str(base)!r}, {changes!r}, {step}"
    other = other_process(tmp_path / "killed", dedent(KILLED_AT_LINES).replace("\nkilled,", f"\n{given}\nkilled,"))
    points, status = map(int, other.communicate()[0].split())
    assert (points > 20, status) == (True, 0)
    old = {a.pmid: a for a in before}
    new = old | {a.pmid: a for a in changes}
    seen = []
    for point in range(step, points + 1, step):
        store = literature.connect(f"embedded:{tmp_path}/killed-{point}", settings)
        for repeated in (False, True):
            if repeated:
                load(store, *changes)
            pmids = list(store.every_pmid())
            held = store.get([1, 2])
            assert held in ([new] if repeated else [old, new])
            assert pmids == sorted(held)
            assert store.info().documents == len(held)
            seen.append(held == new)
        store.close()
    first = seen[::2]
    assert first == sorted(first)  # the change happens at one moment
    assert {first[0], first[-1]} == {False, True}


def test_a_reader_that_was_open_sees_a_killed_load_wholly_or_not_at_all(path, store):
    load(store, *DOCUMENTS)
    assert list(store.every_pmid()) == [1, 2]
    body = f"""
        from literature import manifest
        noted = manifest.write
        def kill(*given):
            if {{after}}:
                noted(*given)
            os._exit(9)
        manifest.write = kill
        with store.writing():
            store.put({CROSSED!r})
    """
    for after in (False, True):
        other = other_process(path, body.format(after=after))
        other.communicate()
        assert other.returncode == 9
        assert store.get([1, 2]) == {a.pmid: a for a in (CROSSED if after else DOCUMENTS)}
        assert list(store.every_pmid()) == [1, 2]
    load(store, *CROSSED)
    assert store.get([1, 2]) == {a.pmid: a for a in CROSSED}


def test_a_load_that_fails_while_it_commits_leaves_the_old_state_to_the_next(path, store, monkeypatch):
    load(store, *DOCUMENTS)

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(manifest, "write", full)
    with pytest.raises(StoreError, match="no space left"):
        load(store, *CROSSED)
    monkeypatch.undo()
    assert store.get([1, 2]) == {a.pmid: a for a in DOCUMENTS}
    load(store, document(3, "the"))
    assert store.get([1, 2]) == {a.pmid: a for a in DOCUMENTS}
    assert list(store.every_pmid()) == [1, 2, 3]
