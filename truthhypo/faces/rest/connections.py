"""Limits on the connections of a service: how long a client may take to send a request, and how many are open.

Without these limits, clients that connect and send nothing, or send half a request, use up all file descriptors of the
process. Uvicorn itself limits only how long a connection may be idle after an answer.
"""

import sys
from asyncio import TimerHandle, Transport
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Largest number of open connections.
_MOST = 1_000


class Connection(H11Protocol):
    """A connection that is closed if a whole request does not arrive in time, or if too many connections are open.

    Attributes:
        seconds: Time limit for a whole request. It begins with the connection, or with the end of the last answer.
        most: Largest number of open connections.
        timer: Closes the connection. It runs while the connection waits for a request, or for the rest of one.
    """

    seconds: ClassVar[float]
    most: ClassVar[int]
    timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Close the connection that has waited longest for a request if too many are open."""
        super().connection_made(transport)
        self._time()
        if len(self.connections) > self.most:
            waiting = {one.timer.when(): one for one in self.connections if isinstance(one, Connection) and one.timer}
            longest = waiting[min(waiting)]
            longest.stop()
            longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._time()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._time()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the request that is being answered."""
        super().connection_lost(exc)
        self.stop()

    def stop(self) -> None:
        """Stop the timer."""
        if self.timer:
            self.timer.cancel()
        self.timer = None

    def _time(self) -> None:
        """Start the timer if the connection waits for a request, and stop it while a request is answered."""
        if self.cycle and not self.cycle.more_body and not self.cycle.response_complete:
            self.stop()
        elif not self.timer:
            self.timer = self.loop.call_later(self.seconds, self.transport.abort)


def connection_class(seconds: float) -> type[Connection]:
    """Return the class of a service's connections, given the time limit for receiving a request.

    At least half of the file descriptors that the process may have are left for stores and files.
    """
    return type("LimitedConnection", (Connection,), {"seconds": seconds, "most": _most()})


def _most() -> int:
    """Return the largest number of open connections."""
    if sys.platform == "win32":
        return _MOST
    import resource

    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if descriptors == resource.RLIM_INFINITY else min(_MOST, descriptors // 2)
