"""The files of the embedded store: who may open them, which folders are not a store, and what a killed load leaves."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from pwd import getpwnam
from time import monotonic

import pytest

import cypher
from cypher.embedded.folder import FORMAT, POINTER
from groundwork import manifest
from groundwork.errors import (
    AtlasMissing,
    DamagedStore,
    DatabaseDrawing,
    InputError,
    StoreBusy,
    StoreError,
    StoreUnreachable,
    UnknownConcept,
)
from groundwork.settings import Settings
from groundwork.tables import edge_batch
from tests.contracts.graphs import ASPIRIN, EXAMPLE, PAIN, concept, edge, fill, stored


@pytest.fixture
def address(tmp_path):
    return f"embedded:{tmp_path / 'a folder, é' / 'graph'}"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a folder, é" / "graph"


def opened(address, settings, **options):
    return closing(cypher.connect(address, settings, **options))


class Elsewhere:
    """Another process that uses the store, reports `there`, and waits until it is told to go on or is killed."""

    def __init__(self, address, *steps):
        code = f"""
            import sys
            import cypher
            from groundwork.settings import Settings
            from groundwork.tables import concept_batch, edge_batch
            from tests.contracts.graphs import EXAMPLE, concept, edge, fill
            graph = cypher.connect({address!r}, Settings())
            def say(): print("there", flush=True); sys.stdin.readline()
        """
        code = textwrap.dedent(code) + "\n".join(steps)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "there\n"

    def go_on(self):
        """Let the process go on to its next report."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "there\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def test_a_missing_path_is_read_as_an_empty_graph_and_not_created(address, path, settings):
    for read_only in (True, False):
        with opened(address, settings, read_only=read_only) as graph:
            assert graph.stats().concepts == {} and graph.find("aspirin").concepts == ()
            assert graph.query("MATCH (n:Concept) RETURN n").rows == ()
            with pytest.raises(UnknownConcept):
                graph.chains(ASPIRIN, PAIN)
    assert not path.parent.exists()


def test_a_load_goes_on_beside_readers_who_see_the_old_state_until_it_ends(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE[:4])
    loading = (
        "with graph.writing():\n    graph.put_edges([edge_batch(EXAMPLE[2:3])], 'z'); graph.counts(); say()\nsay()"
    )
    with opened(address, settings) as reader, opened(address, settings, read_only=True) as third:
        before = reader.stats()
        with Elsewhere(address, loading) as load:
            assert reader.stats() == third.stats() == before
            assert len(stored(reader)) == 4
            load.go_on()
            assert len(stored(reader)) == len(stored(third)) == 4
            assert reader.query("MATCH ()-[r]->() WHERE r.changed_in = 'z' RETURN count(r)").rows == ((1,),)


def test_loads_exclude_each_other_until_one_ends_or_is_killed(address, settings):
    with opened(address, settings) as graph:
        with Elsewhere(address, "with graph.writing(): say()") as loading:
            for use in (graph.check_idle, graph.writing().__enter__):
                with pytest.raises(StoreBusy, match=str(loading.process.pid)):
                    use()
        fill(graph, EXAMPLE)
        assert len(stored(graph)) == len(EXAMPLE)


def test_two_loads_in_one_process_exclude_each_other_too(address, settings):
    with opened(address, settings) as one, opened(address, settings) as other:
        fill(one, EXAMPLE)
        with one.writing():
            with pytest.raises(StoreBusy), other.writing():
                pass
            with pytest.raises(StoreBusy), one.writing():
                pass
            assert other.stats() == one.stats()


def test_a_failed_load_shows_nothing_of_its_changes(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE[:4])
        before = graph.stats()
        with pytest.raises(ZeroDivisionError), graph.writing():
            graph.put_edges([edge_batch(EXAMPLE[2:3])], "z")
            assert graph.counts()
            raise ZeroDivisionError
        assert graph.stats() == before
        fill(graph, EXAMPLE)
        assert len(stored(graph)) == len(EXAMPLE)


@pytest.mark.parametrize(
    "killed_while",
    [
        "with graph.writing(): graph.put_concepts([concept_batch([concept('Gene|77', ('x', 1))])]); say()",
        "fill(graph, EXAMPLE[:4]); say()",
        "fill(graph, EXAMPLE[:4])\nwith graph.writing(): graph.put_edges([edge_batch(EXAMPLE[:2])], 'z'); say()",
        "fill(graph, EXAMPLE[:4])\nwith graph.writing():\n"
        "    graph.put_edges([edge_batch(EXAMPLE[:2])], 'z'); graph.counts(); say()",
        "def slow():\n    yield edge_batch(EXAMPLE[2:3])\n    say()\n"
        "fill(graph, EXAMPLE[:4])\nwith graph.writing(): graph.put_edges(slow(), 'z')",
    ],
)
def test_a_killed_load_leaves_a_store_that_opens_and_the_next_load_completes_it(address, path, settings, killed_while):
    with Elsewhere(address, killed_while):
        pass
    with opened(address, settings, read_only=True) as reader:
        reader.stats()
        reader.find("anything")
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        edges = stored(graph)
        assert {key: edges[key] for key in ((e.head, e.relation, e.tail) for e in EXAMPLE)} == edges
        assert len(list(path.glob("state-*"))) == 1


@pytest.mark.parametrize("what", ["file", "folder", "graph", "names"])
def test_a_path_that_is_not_a_store_is_reported(address, path, settings, what):
    path.parent.mkdir()
    if what == "file":
        path.write_text("not a graph")
    elif what == "folder":
        path.mkdir()
        (path / "letter.txt").write_text("dear reader")
    else:
        with opened(address, settings) as graph:
            fill(graph, EXAMPLE)
        (state,) = path.glob("state-*")
        (state / ("row.npy" if what == "graph" else "concepts.sqlite")).write_bytes(os.urandom(8192))
    for use in (lambda graph: graph.find("x"), lambda graph: fill(graph, EXAMPLE)):
        with opened(address, settings) as graph, pytest.raises(StoreError) as caught:
            use(graph)
        assert caught.value.wanted and caught.value.remedy
    if what == "file":
        assert path.read_text() == "not a graph"


def test_an_empty_folder_becomes_a_store(address, path, settings):
    path.mkdir(parents=True)
    with opened(address, settings) as graph:
        assert graph.stats().concepts == {}
        fill(graph, EXAMPLE)
        assert graph.stats().edges["treat"] == 1


@pytest.fixture
def guarded(tmp_path):
    """A folder that the user of `as_somebody_else` can read but not write."""
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        yield tmp_path
        tmp_path.chmod(0o700)
        return
    folder = Path(tempfile.mkdtemp())  # pytest's own folder can only be read by root
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_somebody_else(action):
    """Run a function in a child process and return its error. If root runs the tests, the child runs as `nobody`.

    The child is a fork, and all modules are imported before, because `nobody` may not be able to read Python's files.
    """
    import_module("cypher.embedded.graph")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            if os.geteuid() == 0:
                nobody = getpwnam("nobody")
                os.setgroups([])
                os.setgid(nobody.pw_gid)
                os.setuid(nobody.pw_uid)
            action()
        except BaseException as error:  # noqa: BLE001 - reported to the parent, which asserts it
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return pipe.read()


def load_into(address, settings):
    with opened(address, settings) as graph, graph.writing():
        pass


def test_a_load_into_a_folder_without_write_permission_is_refused(guarded, settings):
    said = as_somebody_else(lambda: load_into(f"embedded:{guarded / 'graph'}", settings))
    assert said.startswith("StoreUnreachable: cannot make")
    assert "Permission denied" in said
    assert list(guarded.iterdir()) == []


def test_a_store_without_write_permission_can_be_read(guarded, settings):
    guarded.chmod(0o755)
    address = f"embedded:{guarded / 'graph'}"
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    (guarded / "graph").chmod(0o555)

    def look_up():
        with opened(address, settings, read_only=True) as graph:
            raise StoreBusy(f"{graph.chains(ASPIRIN, PAIN).total} chains")  # the child reports an error

    assert as_somebody_else(look_up) == "StoreBusy: 4 chains"
    (guarded / "graph").chmod(0o755)


@pytest.mark.parametrize("blocked", ["nothing", "the folder", "HOME too"])
def test_the_database_for_queries_is_drawn_once_where_there_is_room(address, path, settings, blocked):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE, contradictions=[(ASPIRIN, PAIN, "opposites")], similar=[("m", ASPIRIN, PAIN, 0.5)])
        for place in {"nothing": (), "the folder": (path,), "HOME too": (path, settings.home)}[blocked]:
            place.mkdir(exist_ok=True)
            (place / "drawn").write_text("in the way")
        count = "MATCH (:Concept)-[r]->(:Concept) RETURN label(r) AS kind, count(r) AS links ORDER BY kind"
        wanted = graph.query(count).rows
        assert dict(wanted) | {"CONTRADICTS": 1, "SIMILAR_TO": 1, "TREAT": 1} == dict(wanted)
        assert sum(links for _, links in wanted) == len(EXAMPLE) + 2
        drawn = {"nothing": path, "the folder": settings.home}.get(blocked)
        if drawn:
            (database,) = drawn.glob("drawn/**/graph.lbug")
            made = database.stat().st_mtime_ns
            with opened(address, settings) as again:
                assert again.query(count).rows == wanted and database.stat().st_mtime_ns == made
            database.write_bytes(b"damaged")
            assert cypher.atlas_faults(address, settings)
            with opened(address, settings) as again:
                assert again.query(count).rows == wanted, "a damaged one is drawn again"
        fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)])
        assert ("CAUSE", 1) in graph.query(count).rows


COUNT = "MATCH (:Concept)-[r]->(:Concept) RETURN count(r)"


def test_a_drawing_that_is_killed_is_no_database(address, path, settings, monkeypatch):
    killed = "import json, os, sys; open(json.load(sys.stdin)['path'], 'w').close(); os.kill(os.getpid(), 9)"
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        with monkeypatch.context() as patch, pytest.raises(StoreError, match="ended with code -9"):
            patch.setattr("cypher.embedded.database._START", killed)
            graph.query(COUNT)
        assert [each.name for each in (path / "drawn").iterdir()] == ["lock"]
        assert graph.query(COUNT).rows == ((len(EXAMPLE),),)


def test_queries_at_once_answer_while_their_database_is_drawn_or_replaced_or_removed(address, path, settings):
    with opened(address, settings) as graph, ThreadPoolExecutor(5) as pool:
        fill(graph, EXAMPLE)
        assert {each.result().rows for each in [pool.submit(graph.query, COUNT) for _ in range(5)]} == {((9,),)}
        long = pool.submit(graph.query, "UNWIND range(1, 3000000) AS x WITH x % 7 AS y RETURN count(DISTINCT y)")
        fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)])
        assert graph.query(COUNT).rows == ((10,),)
        assert long.result().rows == ((7,),), "a query goes on with the state in which it began"
        shutil.rmtree(path / "drawn")
        assert {each.result().rows for each in [pool.submit(graph.query, COUNT) for _ in range(3)]} == {((10,),)}


def test_a_state_that_comes_during_a_drawing_is_drawn_too(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        graph.waits = 0.0
        with suppress(DatabaseDrawing):
            graph.query(COUNT)
        fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)])
        until, found = monotonic() + 60, None
        while found is None and monotonic() < until:
            with suppress(DatabaseDrawing):
                found = graph.query(COUNT).rows
        assert found == ((10,),)


def test_readers_and_queries_never_meet_a_half_removed_state(address, settings):
    """Another process makes a new state again and again."""
    again = "fill(graph, EXAMPLE); say()\nfor number in range(60): fill(graph, [edge('Gene|1', 'treat', 'Gene|2', number + 1)])\nsay()"
    with Elsewhere(address, again) as loading, ThreadPoolExecutor(1) as pool:
        done = pool.submit(loading.go_on)
        while not done.done():
            with opened(address, settings, read_only=True) as graph:
                assert graph.stats().edges["treat"] >= 1
                assert cypher.file_faults(address, settings) == []
        with opened(address, settings) as graph:
            assert graph.query(COUNT).rows == ((10,),)


@pytest.mark.parametrize("change", ["names", "edges"])
def test_damage_that_nobody_noticed_is_refused_by_the_next_load(address, path, settings, change):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    (state,) = path.glob("state-*")
    file = state / "target.npy"
    times, content = file.stat(), file.read_bytes()
    file.write_bytes(content[:-4] + content[-8:-4])
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    with opened(address, settings) as graph, pytest.raises(DamagedStore, match=r"target\.npy has other content"):
        fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)] if change == "edges" else [], [concept(PAIN, ("ache", 1))])
    assert cypher.file_faults(address, settings)


def test_a_store_that_lost_its_first_file_is_damaged_and_no_foreign_folder(address, path, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    for name in (POINTER, "lock"):
        (path / name).unlink()
    with opened(address, settings) as graph, pytest.raises(DamagedStore, match="is missing beside state-"):
        graph.stats()


def test_a_query_that_waits_long_says_so(address, settings, monkeypatch):
    monkeypatch.setattr("cypher.embedded.database._RATE", 2)
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        with pytest.warns(AtlasMissing, match=r"drawn now from 14 rows \(about 7 s\)"):
            assert graph.query("RETURN 1").rows == ((1,),)


def test_a_query_that_does_not_wait_is_told_when_to_come_back(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        graph.waits = 0.0
        with pytest.raises(DatabaseDrawing, match="drawn from 14 rows"):
            graph.query("RETURN 1")
        assert graph.chains(ASPIRIN, PAIN).total == 4, "other look-ups are answered meanwhile"
        until = monotonic() + 30
        while monotonic() < until:
            with suppress(DatabaseDrawing):
                assert graph.query("RETURN 1").rows == ((1,),)
                break
        graph.waits = None
        assert graph.query("RETURN 1").rows == ((1,),)


def test_a_folder_without_access_permission_is_reported(guarded, settings):
    guarded.chmod(0o000)
    for action in (load_into, lambda address, settings: cypher.connect(address, settings).stats()):
        said = as_somebody_else(lambda action=action: action(f"embedded:{guarded / 'graph'}", settings))
        assert said.startswith("StoreUnreachable: cannot look at")


def test_a_graph_of_a_later_version_is_refused(address, path, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    shape = manifest.read(path / POINTER)
    manifest.write(path / POINTER, shape | {"format": FORMAT + 1})
    for action in (lambda graph: graph.stats(), lambda graph: fill(graph, EXAMPLE)):
        with opened(address, settings) as graph, pytest.raises(StoreError, match="a later version") as refused:
            action(graph)
        assert f"format {FORMAT}" in refused.value.wanted
        assert "load" in refused.value.remedy


def test_a_partly_created_folder_is_an_empty_graph(address, path, settings):
    path.mkdir(parents=True)
    for left in ("lock", f"{POINTER}.new", "state-1/row.npy"):
        (path / left).parent.mkdir(exist_ok=True)
        (path / left).write_text("")
        with opened(address, settings) as graph:
            assert graph.stats().concepts == {}
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        assert graph.stats().edges["treat"] == 1
    assert not (path / "state-1").exists()


def test_a_load_below_a_file_is_refused(tmp_path, settings):
    (tmp_path / "file").write_text("x")
    graph = cypher.connect(f"embedded:{tmp_path / 'file' / 'graph'}", settings)
    with pytest.raises(StoreUnreachable), graph.writing():
        pass


@pytest.mark.parametrize("address", ["", "embedded:", "memory:x", "memory", "http://host", "bolt:host", "graph"])
def test_addresses_of_an_unknown_kind_are_refused(address):
    with pytest.raises(InputError, match="graph address"):
        cypher.connect(address, Settings())


def test_a_store_can_be_closed_twice_and_used_again(address, settings):
    graph = cypher.connect(address, settings)
    fill(graph, EXAMPLE)
    graph.close()
    graph.close()
    assert len(stored(graph)) == len(EXAMPLE)
    graph.close()


def test_look_ups_from_many_threads_give_the_same_answers(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        questions = [
            lambda: graph.chains(ASPIRIN, PAIN, hops=4),
            lambda: graph.find("5742"),
            lambda: graph.query("MATCH (n:Concept) RETURN count(n)"),
            lambda: list(graph.every_concept()),
        ]
        alone = [ask() for ask in questions]
        with ThreadPoolExecutor(6) as pool:
            answers = [[pool.submit(ask) for ask in questions] for _ in range(15)]
            assert all([answer.result() for answer in some] == alone for some in answers)


def test_a_failed_load_releases_the_store(address, settings):
    with opened(address, settings) as graph:
        with pytest.raises(ZeroDivisionError), graph.writing():
            raise ZeroDivisionError
        with pytest.raises(StoreError), graph.writing():
            graph.put_edges([edge_batch([edge("Gene|404", "treat", "Gene|405", 1)])], "r")
        fill(graph, EXAMPLE)
        assert len(stored(graph)) == len(EXAMPLE)


def test_a_path_below_a_file_is_reported_and_not_read_as_empty(tmp_path, settings):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnreachable, match="lies below"):
        cypher.connect(f"embedded:{tmp_path / 'file' / 'graph'}", settings, read_only=True).stats()
