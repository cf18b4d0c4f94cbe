"""Read a server folder's HTML index and its checksum files. Both are untrusted text."""

import re
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from groundwork.errors import SourceUnreachable
from ingest.download.remote import Remote, shown
from ingest.nlm_files import md5_by_name

#: Maximum numbers of bytes of an index and of a checksum file. An index of 3,000 files has about 600 kB.
_INDEX_LIMIT = 1 << 24
_CHECKSUM_LIMIT = 1 << 12


def names(remote: Remote, url: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """Return the names and addresses of those files in a folder whose names match a pattern.

    Links that lead out of the folder are ignored, so a name never contains a part of a path.

    Args:
        remote: The connection to the server.
        url: Address of the folder, with a slash at its end.
        pattern: Pattern of the whole name; it must not match a slash.

    Returns:
        The address of each file by its name, in the order of the index.

    Raises:
        SourceUnreachable: If the index cannot be read.
    """
    found_at, content = remote.read(url, _INDEX_LIMIT)
    home = urlsplit(found_at)
    inside = home.path[: home.path.rfind("/") + 1]
    found: dict[str, str] = {}
    for link in _links(content):
        try:
            target = urlsplit(urljoin(found_at, link))
        except ValueError:
            continue  # not an address, e.g. because of an unclosed bracket
        name = unquote(target.path[len(inside) :])
        here = (target.scheme, target.netloc) == (home.scheme, home.netloc) and target.path.startswith(inside)
        if here and not target.query and pattern.fullmatch(name):
            found.setdefault(name, urljoin(found_at, name))
    return found


def md5(remote: Remote, url: str, name: str) -> str:
    """Return the MD5 of a file, in lower case, from the checksum file beside it.

    Raises:
        SourceUnreachable: If the checksum file cannot be read, or does not contain this file's MD5.
    """
    _, content = remote.read(url, _CHECKSUM_LIMIT)
    said = md5_by_name(content.decode("ascii", "replace"))
    found = said.get(name) or said.get("")
    if found is None:
        raise SourceUnreachable(
            f"{shown(url)} contains no MD5 of {name}: {content[:80]!r}",
            f"MD5({name})= and 32 hexadecimal digits",
            "check the address (--from), or try again later",
        )
    return found


def _links(page: bytes) -> list[str]:
    """Return the addresses of all links of a page, even if the HTML is invalid."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True)
    try:
        root = etree.fromstring(page, parser)
    except etree.XMLSyntaxError:
        return []
    found = root.iter("a") if root is not None else ()
    return [link.strip() for element in found if (link := element.get("href"))]
