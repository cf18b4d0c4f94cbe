"""Free queries end within their limits, on the embedded store and on Neo4j, and leave a store that answers."""

import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from textwrap import dedent
from time import monotonic, sleep
from uuid import UUID

import numpy as np
import pytest

import cypher
from groundwork.errors import InputError, SizeLimit, StoreError, TimeLimit
from groundwork.settings import Settings
from tests.conftest import REPOSITORY
from tests.contracts.conftest import emptied
from tests.contracts.graphs import EXAMPLE, fill
from tests.cypher.payloads import ANSWERED, LIMITED, REFUSED, loaded, payloads, workers

LIMITS = {"graph_timeout": 3.0, "query_memory": 300_000_000}
#: Functions of ladybug that Neo4j does not have. A query with one of them is bad input for Neo4j.
UNKNOWN_TO_NEO4J = re.compile(r"\b(repeat|lpad|rpad)\(")
#: Generous, because the machine may be busy and a server checks the time only now and then.
ENDED_SECONDS = 60.0

LONG = (
    "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c "
    "WITH a + b + c AS s WHERE s = 1 RETURN count(*)"
)
HUGE = "RETURN size(repeat('abcdefgh', 400000000))"


@pytest.fixture(scope="module", params=["embedded", pytest.param("neo4j", marks=pytest.mark.servers)])
def address(request, tmp_path_factory, data):
    """The address of a store with a small real graph."""
    if request.param == "neo4j":
        found = emptied(request.getfixturevalue("neo4j_address"))
    else:
        found = f"embedded:{tmp_path_factory.mktemp('payloads') / 'graph'}"
    with closing(cypher.connect(found, Settings(home=tmp_path_factory.mktemp("home")))) as graph:
        loaded(graph, data)
    return found


@pytest.fixture
def opened(settings, tmp_path):
    """A function that opens an embedded store under low limits. The store holds a small graph, or does not exist
    (`exists=False`)."""
    there = f"embedded:{tmp_path / 'graph'}"
    with closing(cypher.connect(there, settings)) as graph:
        fill(graph, EXAMPLE)
    graphs = []

    def opened(exists=True, **limits):
        address = there if exists else f"embedded:{tmp_path / 'nothing'}"
        graphs.append(cypher.connect(address, settings.model_copy(update=LIMITS | limits), read_only=True))
        return graphs[-1]

    yield opened
    for graph in graphs:
        graph.close()
    assert workers() == []


def test_payloads_that_do_more_than_read_or_are_too_deep_are_refused(address, settings, data):
    with closing(cypher.connect(address, settings)) as graph:
        for query in payloads(data, REFUSED):
            started = monotonic()
            with pytest.raises(InputError):
                graph.query(query)
            assert monotonic() - started < ENDED_SECONDS, query


def test_payloads_that_only_read_are_answered(address, settings, data):
    with closing(cypher.connect(address, settings)) as graph:
        for query in payloads(data, ANSWERED):
            assert graph.query(query).columns or query.startswith("EXPLAIN"), query


def test_payloads_end_within_the_limits_and_the_next_query_is_answered(address, settings, data):
    with closing(cypher.connect(address, settings.model_copy(update=LIMITS))) as graph:
        for query in payloads(data, LIMITED):
            started = monotonic()
            try:
                graph.query(query)
            except (TimeLimit, SizeLimit) as error:
                assert re.search("graph_timeout|query_memory|answer_bytes|memory.transaction", str(error)), query
            except InputError:
                assert address.startswith("bolt:") and UNKNOWN_TO_NEO4J.search(query), query
            assert monotonic() - started < ENDED_SECONDS, query
            assert len(workers()) <= 1
            assert graph.query("RETURN 1 AS one").rows == ((1,),)
    assert workers() == []


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("query", "limits", "error", "setting"),
    [
        (LONG, {"graph_timeout": 0.5}, TimeLimit, "graph_timeout"),
        (HUGE, {"graph_timeout": 60.0}, SizeLimit, "query_memory"),
        ("UNWIND range(1, 9) AS x RETURN repeat('ab', 200000)", {"answer_bytes": 10**6}, SizeLimit, "answer_bytes"),
        ("RETURN repeat('ab', 1000000)", {"answer_bytes": 10**6}, SizeLimit, "answer_bytes"),
    ],
)
def test_a_limit_is_named_and_the_next_query_is_answered(opened, query, limits, error, setting, there):
    """The same holds for a graph that does not exist, which is read as empty."""
    graph = opened(there, **limits)
    with pytest.raises(error, match=setting):
        graph.query(query)
    assert graph.query("RETURN 1 AS one").rows == ((1,),)


def test_memory_stays_near_its_limit(opened):
    """Without the limit, the query takes 3 GB."""
    said = python(
        """
        import resource, sys, cypher
        from groundwork.settings import Settings
        graph = cypher.connect(sys.argv[1], Settings(graph_timeout=60, query_memory=300_000_000))
        try:
            graph.query(sys.argv[2])
        except Exception as error:
            print(type(error).__name__)
        graph.close()
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
        """,
        opened().address,
        HUGE,
    ).split()
    assert said[0] == "SizeLimit"
    assert int(said[1]) < 900_000_000


def test_one_process_stays_for_the_next_query_and_ends_with_its_store(opened):
    graph = opened()
    graph.query("RETURN 1")
    (first,) = workers()
    with pytest.raises(InputError):
        graph.query("RETURN nothing_like_it(1)")
    graph.query("RETURN 1")
    assert workers() == [first]
    graph.close()
    assert workers() == []
    graph.query("RETURN 1")
    with writable(graph).writing():
        assert workers() == []


def writable(graph):
    """The same store, opened for a load. An idle query process must not block it."""
    graph.close()
    return cypher.connect(graph.address, graph.settings)


def test_queries_of_several_threads_do_not_wait_for_each_other(opened):
    graph = opened(graph_timeout=60.0)
    ended = []
    slow = threading.Thread(target=lambda: ended.append(failure(graph)))
    slow.start()
    until(workers)
    assert graph.query("RETURN 1 AS one").rows == ((1,),)
    assert not ended
    graph.close()  # this ends the slow query
    slow.join()
    assert "closed" in ended[0].remedy
    assert workers() == []


@pytest.mark.parametrize("busy", [False, True])
def test_a_process_that_crashes_is_reported_and_replaced(opened, busy):
    graph = opened(graph_timeout=60.0)
    graph.query("RETURN 1")
    (worker,) = workers()
    if busy:
        ended = []
        asking = threading.Thread(target=lambda: ended.append(failure(graph)))
        asking.start()
        until(lambda: processor_time(worker) > 1.0)
        os.kill(worker, signal.SIGSEGV)
        asking.join()
        assert isinstance(ended[0], StoreError)
        assert "SIGSEGV" in str(ended[0])
    else:
        os.kill(worker, signal.SIGSEGV)
        os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)  # it has ended, but its parent has not waited for it yet
    assert graph.query("RETURN 1 AS one").rows == ((1,),)


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_query_process_ends_with_its_command(opened, way):
    """SIGINT is sent to all processes of the command, as Ctrl-C does."""
    address = opened().address
    words = [str(Path(sys.executable).parent / "truthhypo"), "--graph", address, "graph", "query", LONG]
    with subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env=os.environ | {"TRUTHHYPO_GRAPH_TIMEOUT": "300"},
    ) as command:
        try:
            until(lambda: workers(command.pid))
            (worker,) = workers(command.pid)
            until(lambda: processor_time(worker) > 1.0)
            (os.killpg if way == signal.SIGINT else os.kill)(command.pid, way)
            said = command.communicate(timeout=ENDED_SECONDS)[1]
            assert (command.returncode, said.count("interrupted")) == ((130, 1) if way == signal.SIGINT else (-way, 0))
            until(lambda: not workers(command.pid))
        finally:
            command.kill()


@pytest.mark.parametrize(
    "value",
    [
        date(2026, 1, 31),
        datetime(2026, 1, 31, 1, 2, 3, 4, tzinfo=UTC),
        timedelta(days=-1, microseconds=3),
        Decimal("1.50"),
        UUID(int=7),
        b"\x00\xff",
        np.float64(0.1),
        np.array([1, 2]),
        [date(2026, 1, 31)],
        {"map": 1, "date": {"date": "x"}, "list": [[1.5, None]]},
        'β 🧬 \u2028 " \\ \x01',
        -(2**63),
    ],
)
def test_a_parameter_comes_back_as_from_the_memory_store(opened, settings, value):
    with closing(cypher.connect("memory:", settings)) as memory:
        assert opened().query("RETURN $x AS x", {"x": value}) == memory.query("RETURN $x AS x", {"x": value})


@pytest.mark.parametrize("value", [object(), 2**64, "\udc80", {1, 2}])
def test_parameters_that_no_store_takes_are_bad_input(opened, value):
    with pytest.raises(InputError):
        opened().query("RETURN $x AS x", {"x": value})


def test_the_store_works_under_a_limit_on_address_space(tmp_path):
    said = python(
        """
        import resource, sys, cypher
        resource.setrlimit(resource.RLIMIT_AS, (16_000_000 * 1024,) * 2)
        from groundwork.settings import Settings
        from tests.contracts.graphs import EXAMPLE, fill
        graph = fill(cypher.connect(sys.argv[1], Settings()), EXAMPLE)
        print(graph.query("MATCH (c:Concept) RETURN count(c)").rows)
        with graph.writing(): print(graph.stats().edges["treat"])
        """,
        f"embedded:{tmp_path / 'graph'}",
    )
    assert said == "((5,),)\n1\n"


def test_a_limit_on_address_space_that_is_too_small_is_named(tmp_path):
    said = python(
        """
        import resource, sys
        from pathlib import Path
        from cypher.embedded.session import Session
        from groundwork.settings import Settings
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 10_000_000,) * 2)
        try: Session(sys.argv[1], Settings())
        except Exception as error: print(type(error).__name__, error)
        """,
        str(tmp_path / "graph.lbug"),
    )
    assert said.startswith("StoreError")
    assert "address space" in said
    assert "ulimit -v" in said


def failure(graph):
    """Return the error of a query that does not end by itself."""
    with pytest.raises(StoreError) as caught:
        graph.query(LONG)
    return caught.value


def processor_time(pid):
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(condition):
    """Wait until a condition is true."""
    last = monotonic() + ENDED_SECONDS
    while not condition():
        assert monotonic() < last
        sleep(0.05)


def python(script, *arguments):
    """The output of a script in a separate process."""
    words = [sys.executable, "-c", dedent(script), *arguments]
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=REPOSITORY).stdout
