"""Open a world from settings and from flags that override them."""

from typing import Any

from groundwork.settings import Settings, load
from truthhypo.world import World


def connect(settings: Settings | None = None, *, read_only: bool = True, **flags: Any) -> World:
    """Open the world that the settings describe.

    Args:
        settings: All settings. With None, they are read from truthhypo.toml and the environment.
        read_only: Whether the stores are opened for reading only. Use False to load data.
        **flags: Settings by name that override all others, e.g. `graph="memory:"`.

    Raises:
        InputError: A setting is unknown or out of range.
    """
    base = settings.model_dump() if settings else {}
    return World(load({**base, **flags})[0], read_only=read_only)
