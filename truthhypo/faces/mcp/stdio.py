"""The MCP server over the standard input and output of this process."""

import asyncio

from mcp.server.stdio import stdio_server

from groundwork.settings import Settings
from truthhypo.faces.mcp.server import server
from truthhypo.service.engine import Engine
from truthhypo.service.engine_watch import Watch


async def run(settings: Settings) -> None:
    """Serve until the client closes the stream.

    Raises:
        InputError: A store is `memory:`.
    """
    engine = Engine(settings)
    served = server(engine)
    async with stdio_server() as (received, sent):  # comes first, so that child processes cannot write to the stream
        engine.open()
        watching = asyncio.create_task(Watch(engine).run())
        try:
            await served.run(received, sent, served.create_initialization_options())
        finally:
            watching.cancel()
            await engine.close()
