"""Replace a folder by a newly built one."""

from datetime import UTC, datetime
from pathlib import Path


def swap(target: Path, fresh: Path) -> Path | None:
    """Put a folder in the place of another one. The old folder is kept beside the new one.

    If the process is killed in between, there is no folder at `target`, but never an incomplete one.

    Args:
        target: The path of the folder to replace.
        fresh: The new folder, on the same file system.

    Returns:
        The new path of the old folder; None if there was none.

    Raises:
        OSError: If a folder cannot be renamed.
    """
    aside = None
    if target.exists():
        aside = target.with_name(f"{target.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        target.rename(aside)
    fresh.rename(target)
    return aside
