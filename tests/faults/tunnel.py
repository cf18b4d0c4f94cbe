"""A TCP proxy on loopback between the program and a server. The proxy causes the faults that a test asks for."""

import contextlib
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from urllib.parse import urlsplit

#: Largest number of bytes that pass at once. Faults happen between two such chunks.
_CHUNK = 2048
#: Closes a connection with a reset, as a killed process does.
_RESET = struct.pack("ii", 1, 0)


class Cut(Exception):
    """Raised by `meets` to break off a connection."""


class Tunnel:
    """The proxy.

    Attributes:
        address: Where it listens, with the scheme of its target.
        meets: Called before more bytes pass, with the number of bytes in both directions. It may wait, which stalls
            the connection; raise `Cut`, which breaks the connection off; or do something else.
        refusing: Whether new connections are broken off at once.
        passed: Bytes passed so far.
    """

    def __init__(self, target: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"{urlsplit(target).scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self.meets: Callable[[int], None] = lambda passed: None
        self.refusing = False
        self.passed = 0
        self._target = target
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        Thread(target=self._listen, daemon=True).start()

    def lead_to(self, target: str) -> None:
        """Lead new connections elsewhere, as when a server was started again."""
        self._target, self.passed, self.meets = target, 0, lambda passed: None

    def close(self) -> None:
        """Break off all connections and stop listening."""
        self.refusing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in list(self._open):
            self._break(end)

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        host = urlsplit(self._target)
        try:
            if self.refusing:
                raise ConnectionRefusedError
            server = socket.create_connection((host.hostname, host.port), timeout=10)
        except OSError:
            self._break(client)
            return
        server.settimeout(None)
        self._open |= {client, server}
        for source, sink in ((client, server), (server, client)):
            Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while chunk := source.recv(_CHUNK):
                with self._lock:
                    self.passed += len(chunk)
                    passed = self.passed
                self.meets(passed)
                sink.sendall(chunk)
        except (OSError, Cut):
            pass
        finally:
            self._break(source)
            self._break(sink)

    def _break(self, end: socket.socket) -> None:
        self._open.discard(end)
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@contextmanager
def tunnel(target: str) -> Iterator[Tunnel]:
    """A tunnel for the time of a block."""
    made = Tunnel(target)
    try:
        yield made
    finally:
        made.close()
