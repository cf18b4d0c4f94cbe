"""Telling whoever watches a load that a server is waited for."""

from time import monotonic

from groundwork.ports.progress import Progress, Silent

#: Least seconds between two messages.
_EVERY = 4.0


class Waiting:
    """Tells that a load waits for a server, every few seconds at most.

    Args:
        store: The server, in words that stand after "waiting for".
        progress: Is told; None: nobody is.
    """

    def __init__(self, store: str, progress: Progress | None = None) -> None:
        self._store, self._progress = store, progress or Silent()
        self._told = -_EVERY

    def tell(self, left: float, limit: float, setting: str, why: str = "it does not answer") -> None:
        """Tell how long the load may still wait.

        Args:
            left: Seconds until it gives up.
            limit: Seconds that it waits altogether.
            setting: The setting that holds the limit.
            why: What the server does, or does not do.
        """
        now = monotonic()
        if now - self._told < _EVERY:
            return
        self._told = now
        self._progress.note(
            f"waiting for {self._store}: {why}; the load gives up in {max(0.0, left):.0f} s "
            f"(limit {limit:g} s, setting {setting})"
        )
