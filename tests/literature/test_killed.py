"""Loads into the embedded store that are killed or fail are visible completely or not at all, and can be repeated."""

import subprocess
from textwrap import dedent

import pytest

import literature
from groundwork.errors import StoreError
from groundwork.records import Abstract, Text
from literature import manifest
from tests.literature.loads import document, load, other_process


@pytest.fixture
def path(tmp_path):
    return tmp_path / "literature"


@pytest.fixture
def store(path, settings):
    return literature.connect(f"embedded:{path}", settings)


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
