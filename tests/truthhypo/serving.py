"""The service as a process of its own, on a free port."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

#: Headers of requests to MCP: without a version of the protocol, and with one.
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
DATED = {**HEADERS, "MCP-Protocol-Version": "2025-06-18"}


def called(tool, arguments):
    """A call of a tool as JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@dataclass(frozen=True)
class Service:
    """A running service.

    Attributes:
        address: Where it listens.
        client: Asks it.
        process: Its process.
    """

    address: str
    client: httpx2.Client
    process: subprocess.Popen[str]


@contextmanager
def serving(home: Path, *options: str, **settings: object) -> Iterator[Service]:
    """Run `truthhypo serve` on a free port; settings go into the environment. SIGTERM ends the service."""
    environment = os.environ | {f"TRUTHHYPO_{name.upper()}": str(value) for name, value in settings.items()}
    words = [sys.executable, "-c", "from truthhypo.faces.cli import main; main()"]
    with (
        (home.parent / f"{home.name}-serve.log").open("a") as log,
        subprocess.Popen(
            [*words, "--home", str(home), "--json", "serve", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
        ) as process,
    ):
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        told = "".join(next(lines) for _ in range(4))
        address = json.loads(told)["address"]
        try:
            with httpx2.Client(base_url=address, timeout=60) as client:
                yield Service(address, client, process)
        finally:
            process.terminate()
            process.wait(30)
