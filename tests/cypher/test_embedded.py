"""The files of the embedded store: who may open them, which folders are not a store, and what a killed load leaves."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pwd import getpwnam

import pytest

import cypher
from cypher import schema
from cypher.embedded.stamp import STAMP
from cypher.schema import FORMAT
from groundwork.errors import InputError, StoreBusy, StoreError, StoreUnreachable, UnknownConcept
from groundwork.records import Concept
from groundwork.settings import Settings
from tests.contracts.graphs import ASPIRIN, EXAMPLE, PAIN, edge, fill, stored


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


def test_readers_share_a_store_and_exclude_a_load(address, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    with Elsewhere(address, "graph.stats()", "say()"), opened(address, settings) as graph:
        assert len(stored(graph)) == len(EXAMPLE)
        with opened(address, settings, read_only=True) as third:
            assert third.stats() == graph.stats()
        with pytest.raises(StoreBusy, match="in use by another process"), graph.writing():
            pass
        assert len(stored(graph)) == len(EXAMPLE)


def test_a_load_excludes_readers_and_loads_until_it_ends_or_is_killed(address, settings):
    with opened(address, settings) as graph:
        with Elsewhere(address, "with graph.writing(): fill; say()") as loading:
            for use in (graph.stats, graph.writing().__enter__):
                with pytest.raises(StoreBusy, match=str(loading.process.pid)):
                    use()
        fill(graph, EXAMPLE)
        assert len(stored(graph)) == len(EXAMPLE)


def test_two_loads_in_one_process_exclude_each_other_too(address, settings):
    with opened(address, settings) as one, opened(address, settings) as other:
        fill(one, EXAMPLE)
        assert len(stored(other)) == len(EXAMPLE)
        with pytest.raises(StoreBusy), one.writing():
            pass
        other.close()
        with one.writing(), pytest.raises(StoreBusy):
            other.stats()
        assert other.stats() == one.stats()


@pytest.mark.parametrize(
    "killed_while",
    [
        "with graph.writing(): graph.put_concepts([concept_batch([concept('Gene|77', ('x', 1))])]); say()",
        "fill(graph, EXAMPLE[:4]); say()",
        "fill(graph, EXAMPLE[:4])\nwith graph.writing(): graph.put_edges([edge_batch(EXAMPLE[:2])], 'z'); say()",
        "def slow():\n    yield edge_batch(EXAMPLE[2:3])\n    say()\n"
        "fill(graph, EXAMPLE[:4])\nwith graph.writing(): graph.put_edges(slow(), 'z')",
        "with graph.writing():\n    session = graph.folder.session\n    with session.transaction():\n"
        "        session.run(\"CREATE (:Concept {key: 'Gene|8', name: 'half'})\"); say()",
    ],
)
def test_a_killed_load_leaves_a_store_that_opens_and_the_next_load_completes_it(address, settings, killed_while):
    with Elsewhere(address, killed_while):
        pass
    with opened(address, settings, read_only=True) as reader:
        reader.stats()
        reader.find("anything")
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        edges = stored(graph)
        assert {key: edges[key] for key in ((e.head, e.relation, e.tail) for e in EXAMPLE)} == edges
        assert "Gene|8" not in graph.concepts(["Gene|8"])


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
        (path / ("graph.lbug" if what == "graph" else "names.sqlite")).write_bytes(os.urandom(8192))
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


@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
@pytest.mark.parametrize("drawn", [True, False], ids=["with its atlas", "without"])
def test_a_store_without_write_permission_can_be_read(guarded, settings, drawn):
    guarded.chmod(0o755)
    address, wanted = f"embedded:{guarded / 'graph'}", "StoreBusy: 4 chains"
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    if not drawn:
        shutil.rmtree(guarded / "graph" / "atlas")
    (guarded / "graph").chmod(0o555)

    def look_up():
        with opened(address, settings, read_only=True) as graph:
            raise StoreBusy(f"{graph.chains(ASPIRIN, PAIN).total} chains")  # the child reports an error

    assert as_somebody_else(look_up) == wanted
    assert (guarded / "graph" / "atlas").exists() is drawn
    (guarded / "graph").chmod(0o755)


def test_a_folder_without_access_permission_is_reported(guarded, settings):
    guarded.chmod(0o000)
    for action in (load_into, lambda address, settings: cypher.connect(address, settings).stats()):
        said = as_somebody_else(lambda action=action: action(f"embedded:{guarded / 'graph'}", settings))
        assert said.startswith("StoreUnreachable: cannot look at")


def test_the_first_load_writes_the_format_and_every_opening_reads_it(address, path, settings):
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
    assert (path / STAMP).read_text() == f"{FORMAT}\nmanifest\n"
    (path / "manifest.json").unlink()  # another version may leave a folder without a manifest
    for number, told in ((str(FORMAT + 1), "a later version"), ("0", "an earlier version"), (None, "no format number")):
        (path / STAMP).unlink()
        if number is not None:
            (path / STAMP).write_text(number)
        for action in (lambda graph: graph.stats(), lambda graph: fill(graph, EXAMPLE)):
            with opened(address, settings) as graph, pytest.raises(StoreError, match=told) as refused:
                action(graph)
            assert f"format {FORMAT}" in refused.value.wanted
            assert "load" in refused.value.remedy
        (path / STAMP).write_text("")
    (path / STAMP).write_text(f"{FORMAT}\n")
    with opened(address, settings) as graph:
        assert graph.stats().edges["treat"] == 1


LOADING = '{"state": "loading", "files": {}}'


def test_a_partly_created_folder_is_an_empty_graph(address, path, settings):
    path.mkdir(parents=True)
    for left in ("lock", "manifest.new", "manifest.json", f"{STAMP}.new", STAMP):
        (path / left).write_text({STAMP: f"{FORMAT}\n", "manifest.json": LOADING}.get(left, ""))
        with opened(address, settings) as graph:
            assert graph.stats().concepts == {}
    with opened(address, settings) as graph:
        fill(graph, EXAMPLE)
        assert graph.stats().edges["treat"] == 1


def test_a_change_of_the_tables_needs_a_new_format_number():
    """If this fails, raise FORMAT in cypher/schema.py and note the new digest here.

    No new number is needed for a column that older folders lack and that the next load adds.
    """
    tables = [*schema._NODES, *(schema.links(kind, kind.upper()) for kind in sorted(schema._PROPERTIES))]
    assert (FORMAT, sha256("\n".join(tables).encode()).hexdigest()[:12]) == (1, "4a99b451d93b")


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
            graph.put_edges([_edges()], "r")
        fill(graph, EXAMPLE)
        assert len(stored(graph)) == len(EXAMPLE)


def _edges():
    from groundwork.tables import edge_batch

    return edge_batch([edge("Gene|404", "treat", "Gene|405", 1)])


def test_a_path_below_a_file_is_reported_and_not_read_as_empty(tmp_path, settings):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnreachable, match="lies below"):
        cypher.connect(f"embedded:{tmp_path / 'file' / 'graph'}", settings, read_only=True).stats()


def test_a_folder_of_an_older_program_is_read_and_gets_new_columns_from_the_next_load(tmp_path, settings):
    address = f"embedded:{tmp_path / 'graph'}"
    gene = Concept("Gene|7157", "TP53", ("TP53",), (3,))
    with closing(cypher.connect(address, settings, read_only=False)) as graph:
        fill(graph, [], [gene])
        with graph.writing():
            for column in ("organism", "description"):
                graph.folder.session.run(f"ALTER TABLE Concept DROP {column}")
    with closing(cypher.connect(address, settings)) as graph:
        assert list(graph.every_concept()) == [gene]
        assert graph.find("tp53").concepts[0].key == gene.key
    known = replace(gene, organism="9606", description="tumor protein p53")
    with closing(cypher.connect(address, settings, read_only=False)) as graph:
        fill(graph, [], [known])
        assert graph.concepts([gene.key]) == {gene.key: known}
