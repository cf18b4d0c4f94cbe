"""Changing the segments of an embedded index: a replaced document costs a bounded part, and statistics stay exact.

A segment never changes. Documents that come make new segments. A segment that loses documents is written anew without
them, and small segments that have become many are joined. What a load wrote is seen when the manifest lists it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from uuid import uuid4

import numpy as np

from groundwork import manifest
from groundwork.manifest import FileEntry
from literature import segment
from literature.arrays import Bools, Ints
from literature.indexing import indexed, merged
from literature.manifest import REMEDY, Listed
from literature.segment import Segment
from literature.spool import Spool

#: So many segments of about one size (a power of `_STEP` documents) are joined.
_STEP = 8

#: How the files of segments end.
_SUFFIX = ".segment"


def changed(folder: Path, spool: Spool, before: Sequence[Listed], *, fresh: bool = False) -> tuple[Listed, ...]:
    """Write the segments that hold what an index is to hold after a load; no file of those before is touched.

    Args:
        folder: Where the segments lie.
        spool: What the load changes.
        before: The segments that readers see.
        fresh: Leave out all documents of these.

    Returns:
        The segments to list.

    Raises:
        DamagedStore: A segment that is to be written anew was changed from outside.
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder, before)
    spoken = np.array(spool.pmids(), dtype=np.int64)
    listed = [after for one in (() if fresh else before) for after in _without(folder, one, spoken)]
    lines = ((pmid, line) for pmid, line in spool.lines() if line)
    listed += [_saved(folder, indexed(chunk)) for chunk in _chunks(lines)]
    return tuple(_joined(folder, listed))


def _sweep(folder: Path, before: Iterable[Listed]) -> None:
    """Remove what is not listed.

    What a load replaces stays until the next one, for readers that have read the manifest and not yet opened the files.
    """
    names = {one.name for one in before}
    for file in folder.iterdir():
        if file.name not in names:
            file.unlink()


def _without(folder: Path, one: Listed, pmids: Ints) -> Iterator[Listed]:
    """A segment without the documents of some PMIDs, itself if it has none of them; nothing if it has no other."""
    held = Segment.opened(folder / one.name)
    kept = np.ones(len(held), dtype=bool)
    kept[held.places(pmids)] = False
    if kept.all():
        yield one
    elif kept.any():
        _check(folder, [one])
        yield _saved(folder, merged([(held, kept)]))


def _chunks(lines: Iterator[tuple[int, bytes]]) -> Iterator[Iterable[tuple[int, bytes]]]:
    """Documents in groups that fit into a segment; each is to be gone through before the next."""
    for first in lines:
        yield chain([first], islice(lines, segment.LARGEST - 1))


def _joined(folder: Path, listed: Sequence[Listed]) -> Iterator[Listed]:
    """The segments, those joined that are too many of one size."""
    by_size: Mapping[int, list[Listed]] = defaultdict(list)
    for one in listed:
        by_size[_size(one.documents)].append(one)
    for alike in by_size.values():
        for group in _groups(alike) if len(alike) >= _STEP else [[one] for one in alike]:
            if len(group) == 1:
                yield group[0]
            else:
                _check(folder, group)
                yield _saved(folder, merged([_whole(folder, one) for one in group]))


def _groups(alike: Sequence[Listed]) -> Iterator[list[Listed]]:
    """Segments in groups that fit into one."""
    group: list[Listed] = []
    for one in alike:
        if group and sum(each.documents for each in group) + one.documents > segment.LARGEST:
            yield group
            group = []
        group.append(one)
    yield group


def _size(documents: int) -> int:
    """The power of `_STEP` next above a number of documents."""
    size = 0
    while _STEP**size < documents:
        size += 1
    return size


def _whole(folder: Path, one: Listed) -> tuple[Segment, Bools]:
    held = Segment.opened(folder / one.name)
    return held, np.ones(len(held), dtype=bool)


def _saved(folder: Path, made: Segment) -> Listed:
    """Write a segment into a new file."""
    path = folder / f"{uuid4().hex}{_SUFFIX}"
    made.save(path)
    worded, tokens = made.counts()
    entry = FileEntry.of(path)
    return Listed(path.name, len(made), worded, tokens, entry.bytes, entry.sha256)


def _check(folder: Path, read: Iterable[Listed]) -> None:
    """Refuse to copy documents from segments whose files were changed from outside."""
    files = {one.name: FileEntry(one.bytes, one.sha256) for one in read}
    if found := list(manifest.faults(folder, files, thorough=True)):
        raise manifest.damaged(f"the literature store {folder.parent}", found, REMEDY)
