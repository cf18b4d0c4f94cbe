"""Putting a folder that was made anew in the place of an old one."""

from datetime import UTC, datetime
from pathlib import Path


def swap(target: Path, fresh: Path) -> Path | None:
    """Put a folder in the place of another one, which is kept beside it.

    A process that is killed in between leaves no folder at the place, never half of one.

    Args:
        target: The place.
        fresh: The new folder, on the same file system.

    Returns:
        Where the old folder is now; None if there was none.

    Raises:
        OSError: A folder cannot be renamed.
    """
    aside = None
    if target.exists():
        aside = target.with_name(f"{target.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        target.rename(aside)
    fresh.rename(target)
    return aside
