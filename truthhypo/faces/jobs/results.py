"""The results of a job as they stand, in the order of its texts."""

import re
from collections.abc import Iterator
from pathlib import Path

_NUMBER = re.compile(rb'\{"number": (\d+),')


def lines(path: Path, after: int = 0) -> Iterator[bytes]:
    """The whole lines of a file of results, in the order of the texts, the latest of each text.

    Args:
        path: The file; it may be absent, and may be written meanwhile.
        after: Only results of texts behind this number.
    """
    if not path.exists():
        return
    places: dict[int, int] = {}
    with path.open("rb") as file:
        place = 0
        for line in file:
            match = _NUMBER.match(line)
            if match and line.endswith(b"\n"):
                places[int(match[1])] = place
            place += len(line)
        for number in sorted(places):
            if number > after:
                file.seek(places[number])
                yield file.readline()
