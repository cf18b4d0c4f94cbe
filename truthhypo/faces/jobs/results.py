"""Read the results of a job, in the order of its texts."""

import re
from collections.abc import Iterator
from pathlib import Path

_NUMBER = re.compile(rb'\{"number": (\d+),')


def lines(path: Path, after: int = 0) -> Iterator[bytes]:
    """Yield the complete lines of a file of results, in the order of the texts, with the latest result of each text.

    Args:
        path: The file. It may be absent, or be written at the same time.
        after: Yield only results of texts with a number above this one.
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
