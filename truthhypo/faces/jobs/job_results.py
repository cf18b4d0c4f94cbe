"""Read the results of a job, in the order of its texts."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from groundwork.manifest import Fault
from truthhypo.faces.jobs.store import JobStore, text_of
from truthhypo.record_file import is_json

_NUMBER = re.compile(rb'\{"number": (\d+),')
_WANTED, _REMEDY = "the results as the job left them", "send the texts again as a new job, and delete this one"


def results(jobs: JobStore, id: str, after: int = 0) -> Iterator[bytes]:
    """Yield the results of a job so far, one line per text. A text whose result was lost or changed gets an error.

    Args:
        jobs: The store of jobs.
        id: The job.
        after: Yield only results of texts with a number above this one. The first text has the number 1.

    Raises:
        UnknownJob: No job has this id, or the job has expired.
        DamagedStore: The file of jobs is damaged or missing.
    """
    job, path = jobs.get(id), jobs.results(id)
    texts = cache(lambda: list(map(text_of, jobs.asked(id)[1])))  # texts are read only if a result was lost
    place = after
    for number, line in numbered(path, after):
        if job.state == "done":
            yield from (_lost_result(path, each, texts()) for each in range(place + 1, number))
        yield line if is_json(line) else _lost_result(path, number, texts())
        place = number
    if job.state == "done":
        yield from (_lost_result(path, each, texts()) for each in range(place + 1, job.total + 1))


def numbered(path: Path, after: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each text in a file of results, with the last complete line about this text.

    The numbers are in ascending order, and only numbers above `after` are yielded. The file may be absent, or another
    thread may be writing it.
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
                yield number, file.readline()


def faults(jobs: JobStore) -> Iterator[Fault]:
    """Yield the damaged files of jobs, after reading them completely.

    The files of results are checked only if the database of the jobs is intact.
    """
    if found := list(jobs.faults()):
        yield from found
        return
    for job in jobs.finished():
        path = jobs.results(job.id)
        whole = sum(is_json(line) for _, line in numbered(path))
        if whole != job.total:
            yield Fault(path, f"has {whole:,} of {job.total:,} results", _WANTED, _REMEDY)


def _lost_result(path: Path, number: int, texts: list[str]) -> bytes:
    error = {"seen": f"the result of this text in {path} was lost or changed", "wanted": _WANTED, "remedy": _REMEDY}
    text = texts[number - 1] if number <= len(texts) else ""
    return json.dumps({"number": number, "text": text, "error": error}).encode() + b"\n"
