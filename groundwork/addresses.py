"""Addresses of embedded stores, `embedded:PATH`."""

from pathlib import Path

from groundwork.errors import InputError


def embedded_folder(address: str) -> Path | None:
    """Return the absolute path of the embedded store's folder, given its address; None for another kind of address.

    A relative path starts at the current folder.

    Raises:
        InputError: If the path names the home folder of an unknown user.
    """
    kind, _, path = address.partition(":")
    if kind != "embedded" or not path:
        return None
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InputError(
            f"no home folder for {path!r}", "a path that starts with ~ and the name of a user", "write the full path"
        ) from error
