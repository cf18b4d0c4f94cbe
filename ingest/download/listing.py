"""What a server's folder holds, by its HTML index, and what its checksum files say. All of it is outside text."""

import re
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from groundwork.errors import SourceUnreachable
from ingest.download.remote import Remote, shown

#: An index of 3,000 files has about 600 kB.
_INDEX_LIMIT = 1 << 24
_CHECKSUM_LIMIT = 1 << 12

#: `MD5(NAME)= HASH`, as NLM writes it, or md5sum's `HASH  NAME`, or the hash alone.
_MD5 = re.compile(r"(?:MD5\s*\((?P<bsd>[^()\n]+)\)\s*=\s*)?(?P<hash>[0-9a-fA-F]{32})(?:[ \t]+\*?(?P<gnu>\S+))?\s*")


def names(remote: Remote, url: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """The files of a folder whose whole name fits a pattern.

    A link that leads out of the folder is passed over, so a name never holds a part of a path.

    Args:
        remote: The way there.
        url: The folder's address, with a slash at its end.
        pattern: What the whole name has to fit; it must let no slash through.

    Returns:
        Address by name, in the order of the index.

    Raises:
        SourceUnreachable: The index cannot be had.
    """
    found_at, content = remote.read(url, _INDEX_LIMIT)
    home = urlsplit(found_at)
    inside = home.path[: home.path.rfind("/") + 1]
    found: dict[str, str] = {}
    for link in _links(content):
        try:
            target = urlsplit(urljoin(found_at, link))
        except ValueError:
            continue  # no address at all, e.g. an unclosed bracket
        name = unquote(target.path[len(inside) :])
        here = (target.scheme, target.netloc) == (home.scheme, home.netloc) and target.path.startswith(inside)
        if here and not target.query and pattern.fullmatch(name):
            found.setdefault(name, urljoin(found_at, name))
    return found


def md5(remote: Remote, url: str, name: str) -> str:
    """The MD5 of a file, in lower case, from the checksum file beside it.

    Raises:
        SourceUnreachable: It cannot be had, or speaks of another file or of none.
    """
    _, content = remote.read(url, _CHECKSUM_LIMIT)
    said = _MD5.fullmatch(content.decode("ascii", "replace").strip())
    if said is None or (said["bsd"] or said["gnu"] or name).strip() != name:
        raise SourceUnreachable(
            f"{shown(url)} holds no MD5 of {name}: {content[:80]!r}",
            f"MD5({name})= and 32 hex digits",
            "check the address (--from), or try again later",
        )
    return said["hash"].lower()


def _links(page: bytes) -> list[str]:
    """The addresses of all links of a page, however badly it is written."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True)
    try:
        root = etree.fromstring(page, parser)
    except etree.XMLSyntaxError:
        return []
    found = root.iter("a") if root is not None else ()
    return [link.strip() for element in found if (link := element.get("href"))]
