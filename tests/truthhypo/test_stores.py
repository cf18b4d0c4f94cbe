"""The open stores of a service: they close when the last look-up has ended."""

import asyncio
from threading import Event

import anyio
import pytest

from groundwork.settings import Settings
from truthhypo.service.stores import Stores


def test_look_ups_that_are_abandoned_in_the_queue_do_not_keep_the_stores_open(sample_home):
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
