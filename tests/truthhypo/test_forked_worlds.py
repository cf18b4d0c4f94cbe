"""A world in a forked child: an error at once for the parent's world, answers from a world of its own."""

import gc
import threading
from multiprocessing import get_context

import pytest

import truthhypo
from truthhypo.faces.langchain import Scorer

TEXT, QUERY = "Simvastatin lowers cholesterol.", "MATCH (c:Concept) RETURN c.key ORDER BY c.key LIMIT 2"
USES = {
    "chains": lambda world: world.graph.chains("simvastatin", "cholesterol").total,
    "find": lambda world: world.graph.find("metformin").concepts[0].key,
    "query": lambda world: world.graph.query(QUERY).rows,
    "search": lambda world: world.literature.search("aspirin").hits[0].pmid,
    "article": lambda world: world.literature.get([990000005])[990000005].text.year,
    "ground": lambda world: world.ground(TEXT).groundedness,
    "risk": lambda world: world.risk(TEXT).hrs,
    "hypothesize": lambda world: world.hypothesize("simvastatin", "HMGCR").relation,
    "many": lambda world: world.ground_many([TEXT], progress=False).to_frame()["verdict_both"].tolist(),
    "another model": lambda world: world.with_model(None).ground(TEXT).groundedness,
    "another judge": lambda world: world.judged_by("rules").risk(TEXT).hrs,
    "scorer": lambda world: Scorer(world).invoke(TEXT)["hrs"],
}
#: Seconds after which a child counts as hanging.
SECONDS = 60


def in_child(work):
    """Return what a function returns in a forked child."""
    context = get_context("fork")
    received, sent = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sent.send(work()))
    child.start()
    sent.close()
    try:
        assert received.poll(SECONDS), "the child hangs"
        told = received.recv()
        child.join(SECONDS)
        assert child.exitcode == 0
        return told
    finally:
        child.kill()
        child.join()


def outcome(use, world):
    try:
        return use(world)
    except truthhypo.InputError as error:
        return error.seen, error.remedy


@pytest.fixture
def world(sample_home):
    with truthhypo.connect(home=sample_home) as world:
        yield world


def test_a_forked_child_gets_an_error_for_each_use_and_leaves_the_parent_its_stores(world):
    before = {name: use(world) for name, use in USES.items()}

    def child():
        told = {name: outcome(use, world) for name, use in USES.items()}
        world.close()
        return told

    for name, (seen, remedy) in in_child(child).items():
        assert "which was forked from it" in seen, name
        assert "call truthhypo.connect() in the child process" in remedy
    assert {name: use(world) for name, use in USES.items()} == before


def test_a_forked_child_uses_a_world_of_its_own_and_may_forget_that_of_its_parent(sample_home):
    held = [truthhypo.connect(home=sample_home)]
    before = {name: use(held[0]) for name, use in USES.items()}

    def child():
        held.clear()
        gc.collect()
        with truthhypo.connect(home=sample_home) as own:
            return {name: use(own) for name, use in USES.items()}

    assert in_child(child) == before
    assert USES["query"](held[0]) == before["query"], "the child did not end the parent's processes"
    held.pop().close()


def test_a_child_that_is_forked_during_a_judgement_does_not_wait_for_it(world):
    begun, ended = threading.Event(), threading.Event()

    class Waiting:
        def begin(self, stage, total, unit):
            begun.set()
            assert ended.wait(SECONDS)

        def advance(self, amount): ...
        def note(self, text): ...

    judging = threading.Thread(target=lambda: world.ground(TEXT, progress=Waiting()))
    judging.start()
    try:
        assert begun.wait(SECONDS)
        assert "forked" in in_child(lambda: outcome(USES["ground"], world))[0]
    finally:
        ended.set()
        judging.join()
