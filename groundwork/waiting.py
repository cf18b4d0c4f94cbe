"""Report that a load waits for a server."""

from time import monotonic

from groundwork.ports.progress import Progress, Silent

#: Minimum number of seconds between two messages.
_EVERY = 4.0


class Waiting:
    """Reports that a load waits for a server, with a minimum time between messages.

    Args:
        store: The server, in words that fit after "waiting for".
        progress: Receives the messages; None for no messages.
    """

    def __init__(self, store: str, progress: Progress | None = None) -> None:
        self._store, self._progress = store, progress or Silent()
        self._told = -_EVERY

    def tell(self, left: float, limit: float, setting: str, why: str = "it does not answer") -> None:
        """Report how long the load may still wait.

        Args:
            left: Number of seconds until the load gives up.
            limit: Total number of seconds that it waits.
            setting: Name of the setting that holds the limit.
            why: Why the load waits.
        """
        now = monotonic()
        if now - self._told < _EVERY:
            return
        self._told = now
        self._progress.note(
            f"waiting for {self._store}: {why}; the load gives up in {max(0.0, left):.0f} s "
            f"(limit {limit:g} s, setting {setting})"
        )
