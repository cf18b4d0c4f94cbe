"""The real Elasticsearch that benchmarks of the literature run on."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.performance.measure import say
from tests.servers.errors import UnavailableError
from tests.servers.pool import stores
from tests.servers.process import Server


@contextmanager
def elasticsearch(options: Namespace) -> Iterator[Server | None]:
    """Yield a server during the benchmark, or None if `--store` excludes it or this machine cannot run it."""
    if options.store == "embedded":
        yield None
        return
    _, store = stores(quick=False)
    try:
        server = store.start()
    except UnavailableError as error:
        say(f"no Elasticsearch here: {error}")
        yield None
        return
    with server:
        yield server
