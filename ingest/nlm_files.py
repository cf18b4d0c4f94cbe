"""The names of PubMed's files on NLM's server, and the checksum files beside them."""

import re
from pathlib import Path

#: NLM's file names: pubmed26n0001.xml.gz. Update files continue the numbers of the baseline of their year.
NUMBERED = re.compile(r"pubmed(\d\d)n(\d{4,9})\.xml(?:\.gz)?", re.ASCII)

#: A line of a checksum file: NLM's `MD5(NAME)= HASH`, md5sum's `HASH  NAME`, or the hash alone.
_MD5 = re.compile(r"(?:MD5\s*\((?P<nlm>[^()]+)\)\s*=\s*)?(?P<md5>[0-9a-fA-F]{32})(?:[ \t]+\*?(?P<gnu>\S.*))?")


def number(path: str) -> tuple[int, int] | None:
    """Return year and number of a file from its name, or None if the name does not have NLM's form."""
    match = NUMBERED.fullmatch(Path(path).name)
    return (int(match[1]), int(match[2])) if match else None


def md5_by_name(text: str) -> dict[str, str]:
    """Return the content of a checksum file: MD5 in lower case by file name. A hash without a name has the name ""."""
    matches = (_MD5.fullmatch(line.strip()) for line in text.splitlines())
    return {Path(match["nlm"] or match["gnu"] or "").name: match["md5"].lower() for match in matches if match}
