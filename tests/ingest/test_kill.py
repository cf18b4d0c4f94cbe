"""After a kill at any moment, the same command or another one ends in the state of an undisturbed run."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

import ingest
from groundwork.errors import InputError
from groundwork.settings import Settings
from tests.ingest.oracle import Load, Oracle, check
from tests.ingest.test_load import Stores

WRITES = frozenset(
    {
        *("put_release", "put_concepts", "put_edges", "put_similarities"),
        *("drop_edges", "drop_similarities", "drop_concepts", "put", "drop"),
    }
)


class Killed(BaseException):
    """Stands for the end of the process; no code catches it."""


class Mortal:
    """A store that fails after a number of steps: calls, batches or abstracts received, releases written."""

    def __init__(self, store, steps: list[int]) -> None:
        self._store = store
        self._steps = steps

    def __getattr__(self, name: str):
        if name not in WRITES:
            return getattr(self._store, name)
        return lambda first, **rest: self._write(getattr(self._store, name), first, **rest)

    def _write(self, method, first, **rest) -> None:
        self._step()
        if "dropped" in rest:
            rest["dropped"] = self._dying(rest["dropped"])
        method(self._dying(first) if isinstance(first, Iterable) else first, **rest)
        self._step()

    def _dying(self, items: Iterable) -> Iterator:
        for item in items:
            yield item
            self._step()

    def _step(self) -> None:
        self._steps[0] -= 1
        if self._steps[0] < 0:
            raise Killed


@contextmanager
def mortal(stores: Stores, steps: int):
    """Both stores fail after this many steps, counted together. Afterwards they work again."""
    graph, literature, left = stores.graph, stores.literature, [steps]
    stores.graph, stores.literature = Mortal(graph, left), Mortal(literature, left)
    try:
        yield left
    finally:
        stores.graph, stores.literature = graph, literature


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Stores:
    """Stores with `BEFORE`, to be copied."""
    stores = Stores(tmp_path_factory.mktemp("template"), batch_rows=2)
    for load in BEFORE:
        stores.load(load)
    return stores


@pytest.fixture
def loaded(template, tmp_path) -> Stores:
    """A copy of the stores with `BEFORE` for this test."""
    return template.copy(tmp_path)


def undisturbed(stores: Stores, load: Load) -> tuple[ingest.Receipt, int]:
    """The receipt of an undisturbed load, and its steps."""
    with mortal(stores, 10**6) as left:
        return stores.load(load), 10**6 - left[0]


BEFORE = [
    Load("relations", [(n, "treat", f"Chemical|MESH:D{n % 4}", f"Gene|{n % 5}") for n in range(1, 12)]),
    Load("concepts", [(n, f"Gene|{n}", ["a", "b"]) for n in range(1, 6)]),
    Load("documents", [(1, "one", [("Gene|1", "g"), ("Gene|2", "h")], [("associate", "Gene|1", "Gene|2")])]),
    Load("documents", [(1, "joined", [("Gene|1", "g"), ("Gene|4", "h")], [("associate", "Gene|1", "Gene|4")])], "more"),
    Load("similarity", [("Gene|0", f"Gene|{n}", 0.25) for n in (1, 2, 3, 4, 5)], "m"),
    Load("similarity", [("Chemical|MESH:D3", "Gene|0", 0.5), ("Gene|3", "Gene|9", -0.5)], "another model (n)"),
]
LOADS = {
    "relations": Load("relations", [(n, "treat", f"Chemical|MESH:D{n % 3}", f"Gene|{n % 7}") for n in range(5, 16)]),
    "concepts": Load("concepts", [(1, "Gene|3", ["c"]), (1, "Gene|9", []), (2, "Disease|OMIM:1", ["d"])]),
    "documents": Load(
        "documents",
        [
            (1, "one again", [("Gene|1", "g"), ("Gene|3", "i")], [("associate", "Gene|1", "Gene|3")]),
            (2, "two", [("Gene|8", "j")], []),
            (3, "three", [("Gene|8", "j"), ("Gene|1", "k")], [("associate", "Gene|8", "Gene|1")]),
        ],
    ),
    "pubmed": Load("pubmed", [(1, "record one", "a"), (4, "record four", "b")]),
    "similarity": Load("similarity", [("Gene|1", f"Gene|{n}", n / 10) for n in (2, 3, 9)], "m"),
}
OTHERS = {
    "relations": Load("relations", [(99, "cause", "Chemical|MESH:D0", "Gene|77")], "other"),
    "documents": Load("documents", [(3, "three anew", [("Gene|5", "z")], []), (7, "seven", [("Gene|5", "y")], [])]),
    "more documents": Load("documents", [(1, "joined anew", [("Gene|5", "z")], []), (3, "third", [], [])], "a-corpus"),
}


def expected(*sequence: Load) -> Oracle:
    oracle = Oracle()
    for load in sequence:
        oracle.load(load)
    return oracle


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] if kind in {"concepts", "documents"} else []) for kind in LOADS],
)
def test_killed_at_every_step_and_run_again(tmp_path, loaded, kind):
    load = LOADS[kind]
    calm = loaded.copy(tmp_path)
    wanted, total = undisturbed(calm, load)
    assert total > 5
    wanted_digest = calm.graph.stats().digest
    for steps in _spread(total):
        stores = loaded.copy(tmp_path)
        with mortal(stores, steps), pytest.raises(Killed):
            stores.load(load)
        done = any(r.id == wanted.release and r.state == "live" for r in stores.graph.releases())
        if kind == "documents" and stores.literature.get([2]) and stores.graph.stats().digest != wanted_digest:
            assert [r.id for r in stores.literature.releases() if r.state == "loading"] == [wanted.release]
        receipt = stores.load(load)
        check(expected(*BEFORE, load), stores.graph, stores.literature)
        assert stores.graph.stats().digest == wanted_digest
        if done:  # it was killed after its last write
            assert receipt.edges.unchanged == receipt.edges.total
        else:
            assert (receipt.edges, receipt.concepts) == (wanted.edges, wanted.concepts)
            assert (receipt.similarities, receipt.documents) == (wanted.similarities, wanted.documents)
            assert receipt.replaced == wanted.replaced
        assert all(
            release.state != "loading" for store in (stores.graph, stores.literature) for release in store.releases()
        )
        assert not list((stores.settings.home / "pending").glob("*@*"))


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        pytest.param("relations", "documents", marks=pytest.mark.slow),
        ("documents", "relations"),
        ("similarity", "relations"),
        pytest.param("relations", "relations", marks=pytest.mark.slow),
        pytest.param("documents", "documents", marks=pytest.mark.slow),
        ("documents", "more documents"),
        pytest.param("similarity", "documents", marks=pytest.mark.slow),
    ],
)
def test_killed_and_another_command_run_instead(tmp_path, loaded, kind, other):
    """Afterwards the load is either not begun or finished, in both stores. If it runs again, it ends correctly."""
    load, instead = LOADS[kind], OTHERS[other]
    receipt, total = undisturbed(loaded.copy(tmp_path), load)
    for steps in (1, 4, total // 2, total - 2):
        stores = loaded.copy(tmp_path)
        with mortal(stores, steps), pytest.raises(Killed):
            stores.load(load)
        stores.load(instead)
        begun = any(release.id == receipt.release for release in stores.graph.releases())
        check(expected(*BEFORE, *[load] * begun, instead), stores.graph, stores.literature)
        stores.load(load)
        check(expected(*BEFORE, instead, load), stores.graph, stores.literature)


@pytest.mark.parametrize("kind", ["relations", "documents"])
def test_killed_while_finishing_what_was_killed(loaded, kind):
    with mortal(loaded, 4), pytest.raises(Killed):
        loaded.load(LOADS[kind])
    for steps in (1, 4, 9):
        with mortal(loaded, steps), pytest.raises(Killed):
            loaded.load(OTHERS["relations"])
    loaded.load(OTHERS["relations"])
    check(expected(*BEFORE, LOADS[kind], OTHERS["relations"]), loaded.graph, loaded.literature)


def test_half_loaded_documents_are_not_declared_live_without_the_literature(loaded, tmp_path):
    load, file = LOADS["documents"], OTHERS["relations"].write(tmp_path)
    with (
        mortal(loaded, 3),
        pytest.raises(Killed),
    ):  # the graph lists the release as `loading`, the literature has nothing of the release
        loaded.load(load)
    before = loaded.graph.releases()
    live = next(release.id for release in before if release.source == "pubtator3")
    for command in (
        lambda: ingest.load_relations([file], loaded.graph, loaded.settings, source="other"),
        lambda: ingest.activate(live, loaded.graph, loaded.settings),
    ):
        with pytest.raises(
            InputError, match=r"a load of documents:[0-9a-f]{12} \(\d+\.txt\) into .* was interrupted"
        ) as caught:
            command()
        assert "`ingest documents`" in caught.value.remedy
        assert loaded.graph.releases() == before
    ingest.activate(live, loaded.graph, loaded.settings, literature=lambda: loaded.literature)
    check(expected(*BEFORE, load), loaded.graph, loaded.literature)


def test_a_killed_activation_is_finished(tmp_path):
    stores = Stores(tmp_path, batch_rows=2)
    first = stores.load(BEFORE[0]).release
    stores.load(LOADS["relations"])
    with mortal(stores, 5), pytest.raises(Killed):
        ingest.activate(first, stores.graph, stores.settings)
    stores.load(OTHERS["relations"])
    check(expected(BEFORE[0], OTHERS["relations"]), stores.graph, stores.literature)


def test_a_load_interrupted_under_another_home_can_only_be_rebuilt(tmp_path):
    stores = Stores(tmp_path, batch_rows=2)
    with mortal(stores, 6), pytest.raises(Killed):
        stores.load(LOADS["relations"])
    stores.settings = Settings(home=tmp_path / "another")
    with pytest.raises(InputError, match="no snapshot of pubtator3"):
        stores.load(OTHERS["relations"])
    stores.load(OTHERS["relations"], rebuild=True)
    check(expected(OTHERS["relations"]), stores.graph, stores.literature)


def _spread(total: int) -> list[int]:
    """Steps at the beginning and at the end, where releases are marked, and some in between.

    After a write and before the next one the stores are the same, so one of the two steps is enough.
    """
    return sorted({0, 1, *range(3, total - 4, max(1, total // 3)), total - 4, total - 2, total - 1})
