"""The open stores of a service, and its log."""

import asyncio
import json
import logging
from threading import Event, Lock
from time import sleep

import anyio
import pytest

from groundwork.settings import Settings
from truthhypo.service.stores import PATIENCE, JsonLines, Stores, Turns


def test_look_ups_that_are_cancelled_in_the_queue_do_not_keep_the_stores_open(sample_home):
    async def run():
        stores, over = Stores(Settings(home=sample_home, serve_look_ups=1)), Event()
        first = asyncio.create_task(stores.look(lambda _world: over.wait(60)))
        await asyncio.sleep(0.1)
        second = asyncio.create_task(stores.look(lambda _world: None))
        await asyncio.sleep(0.1)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        over.set()
        assert await first
        with anyio.fail_after(30):
            await stores.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("places", "at_once", "lasting", "most"), [(4, 1, 0.0, 1), (4, 4, 0.02, 4), (2, 1, 3 * PATIENCE, 2)]
)
def test_short_look_ups_take_turns_and_a_long_one_does_not_hold_up_the_next(places, at_once, lasting, most):
    counting, running, seen = Lock(), 0, []

    def work():
        nonlocal running
        with counting:
            running += 1
            seen.append(running)
        sleep(lasting)
        with counting:
            running -= 1

    async def run():
        turns = Turns(places, at_once=at_once)

        async def look():
            async with turns.taken():
                await anyio.to_thread.run_sync(work)

        await asyncio.gather(*(look() for _ in range(8)))

    asyncio.run(run())
    assert len(seen) == 8
    assert max(seen) == most


TEXT = "Aspirin treats asthma."


@pytest.mark.parametrize("texts", [False, True])
def test_an_exception_is_logged_with_its_place_and_only_on_demand_with_its_message(texts):
    try:
        raise ValueError(TEXT)
    except ValueError as error:
        given = (type(error), error, error.__traceback__)
    record = logging.LogRecord("truthhypo.serve", logging.ERROR, __file__, 1, "request %s failed", ("1",), given)
    record.fields = {"id": "1"}
    line = json.loads(JsonLines(texts=texts).format(record))
    assert line.items() >= {"level": "ERROR", "message": "request 1 failed", "id": "1"}.items()
    assert "ValueError" in line["error"]
    assert __file__ in line["error"]
    assert (TEXT in line["error"]) is texts
