"""Where a world comes from: settings, and flags that win over them."""

from typing import Any

from groundwork.settings import Settings, load
from truthhypo.world import World


def connect(settings: Settings | None = None, *, read_only: bool = True, **flags: Any) -> World:
    """Open the world that the settings describe.

    Args:
        settings: All settings; None reads truthhypo.toml and the environment.
        read_only: False to load data through it.
        **flags: Settings by name that win over all others, e.g. `graph="memory:"`.

    Raises:
        InputError: A setting that is unknown or out of range.
    """
    base = settings.model_dump() if settings else {}
    return World(load({**base, **flags})[0], read_only=read_only)
