"""Change the segments of an embedded index at a bounded cost per replaced document, with exact statistics.

A segment never changes. New documents go into new segments. A segment that loses documents is rewritten without them,
and small segments are merged when there are many of them. Readers see the segments that a load wrote as soon as the
manifest lists them.
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
from literature.manifest import REMEDY, SegmentEntry
from literature.segment import Segment
from literature.spool import Spool

#: Segments of about the same size are merged when there are at least this many of them. Two sizes count as about the
#: same if `_size` returns the same number.
_STEP = 8

#: File name extension of segments.
_SUFFIX = ".segment"


def changed(
    folder: Path, spool: Spool, before: Sequence[SegmentEntry], *, fresh: bool = False
) -> tuple[SegmentEntry, ...]:
    """Write the segments that hold the changes of a load. Files of existing segments are not touched.

    Args:
        folder: The folder of the segments.
        spool: The changes of the load.
        before: The segments that readers see now.
        fresh: Leave out all documents of the existing segments.

    Returns:
        The segments to list in the manifest.

    Raises:
        DamagedStore: A segment that must be rewritten was changed from outside.
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder, before)
    spoken = np.array(spool.pmids(), dtype=np.int64)
    listed = [after for one in (() if fresh else before) for after in _without(folder, one, spoken)]
    lines = ((pmid, line) for pmid, line in spool.lines() if line)
    listed += [_saved(folder, indexed(chunk)) for chunk in _chunks(lines)]
    return tuple(_joined(folder, listed))


def _sweep(folder: Path, before: Iterable[SegmentEntry]) -> None:
    """Delete the files that the manifest does not list.

    Files that a load replaces stay until the next load, for readers that have read the manifest but not yet opened the
    files.
    """
    names = {one.name for one in before}
    for file in folder.iterdir():
        if file.name not in names:
            file.unlink()


def _without(folder: Path, one: SegmentEntry, pmids: Ints) -> Iterator[SegmentEntry]:
    """Yield a segment without the documents that have these PMIDs.

    Yield the segment itself if it contains none of these documents, and nothing if no other documents remain.
    """
    held = Segment.opened(folder / one.name)
    kept = np.ones(len(held), dtype=bool)
    kept[held.places(pmids)] = False
    if kept.all():
        yield one
    elif kept.any():
        _check(folder, [one])
        yield _saved(folder, merged([(held, kept)]))


def _chunks(lines: Iterator[tuple[int, bytes]]) -> Iterator[Iterable[tuple[int, bytes]]]:
    """Yield documents in groups that fit into a segment. Each group must be consumed before the next one."""
    for first in lines:
        yield chain([first], islice(lines, segment.LARGEST - 1))


def _joined(folder: Path, listed: Sequence[SegmentEntry]) -> Iterator[SegmentEntry]:
    """Yield the segments, after merging segments of about the same size if there are at least `_STEP` of them."""
    by_size: Mapping[int, list[SegmentEntry]] = defaultdict(list)
    for one in listed:
        by_size[_size(one.documents)].append(one)
    for alike in by_size.values():
        for group in _groups(alike) if len(alike) >= _STEP else [[one] for one in alike]:
            if len(group) == 1:
                yield group[0]
            else:
                _check(folder, group)
                yield _saved(folder, merged([_all_documents(folder, one) for one in group]))


def _groups(alike: Sequence[SegmentEntry]) -> Iterator[list[SegmentEntry]]:
    """Yield groups of segments. The documents of each group fit into one segment."""
    group: list[SegmentEntry] = []
    for one in alike:
        if group and sum(each.documents for each in group) + one.documents > segment.LARGEST:
            yield group
            group = []
        group.append(one)
    yield group


def _size(documents: int) -> int:
    """Return the smallest n for which `_STEP` ** n is at least the number of documents."""
    size = 0
    while _STEP**size < documents:
        size += 1
    return size


def _all_documents(folder: Path, one: SegmentEntry) -> tuple[Segment, Bools]:
    held = Segment.opened(folder / one.name)
    return held, np.ones(len(held), dtype=bool)


def _saved(folder: Path, made: Segment) -> SegmentEntry:
    """Write a segment into a new file. Return the segment as the manifest lists it."""
    path = folder / f"{uuid4().hex}{_SUFFIX}"
    made.save(path)
    worded, tokens = made.counts()
    entry = FileEntry.of(path)
    return SegmentEntry(path.name, len(made), worded, tokens, entry.bytes, entry.sha256)


def _check(folder: Path, read: Iterable[SegmentEntry]) -> None:
    """Check that the files of segments are unchanged before documents are copied from them."""
    files = {one.name: FileEntry(one.bytes, one.sha256) for one in read}
    if found := list(manifest.faults(folder, files, thorough=True)):
        raise manifest.damaged(f"the literature store {folder.parent}", found, REMEDY)
