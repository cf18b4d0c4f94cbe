"""A model that always takes the same time, in a separate process: `python -m benchmarks.performance.slow_model DELAY`.

It speaks as much of the OpenAI protocol as is needed, and keeps connections open. It prints its address on stdout, and
answers with the first label of each question. Its work does not count as the caller's, because it is a separate
process. A GET returns the times of questions and answers since the last GET, in seconds of the server's clock.
"""

import asyncio
import json
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, Popen
from typing import Any
from urllib.request import urlopen

from benchmarks.performance.measure import REPOSITORY, module


@contextmanager
def answering(delay: float) -> Iterator[str]:
    """Start such a model for the time of the benchmark, and yield its address."""
    with Popen(module("slow_model", delay), cwd=REPOSITORY, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def since(address: str) -> tuple[list[float], list[float]]:
    """Return the times of questions and of answers since the last call, each ascending."""
    with urlopen(address, timeout=10) as reply:
        told = json.loads(reply.read())
    return told["asked"], told["answered"]


async def serve(delay: float) -> None:
    """Answer until the process is ended."""
    asked_at: list[float] = []
    answered_at: list[float] = []

    async def said(head: bytes, reader: StreamReader) -> dict[str, Any]:
        if head.startswith(b"GET"):
            told = {"asked": list(asked_at), "answered": list(answered_at)}
            asked_at.clear()
            answered_at.clear()
            return told
        asked_at.append(time.monotonic())
        asked = json.loads(await reader.readexactly(_length(head)))
        await asyncio.sleep(delay)
        answered_at.append(time.monotonic())
        return _reply(asked)

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = json.dumps(await said(head, reader)).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 24)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    return next(int(value) for name, _, value in lines if name == b"content-length")


def _reply(asked: dict[str, Any]) -> dict[str, Any]:
    label = asked["response_format"]["json_schema"]["schema"]["$defs"]["Label"]["enum"][0]
    said = {"rationale": "The first is reported to act on the second. " * 4, "relation": label}
    message = {"role": "assistant", "content": json.dumps(said), "refusal": None}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760},
    }


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
