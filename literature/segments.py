"""Build and change the segments of an embedded index at a bounded cost per replaced document, with exact statistics.

A segment never changes. New documents go into new segments. A segment that loses documents is rewritten without them,
and small segments are merged when there are many of them. Readers see the segments that a load wrote as soon as the
manifest lists them.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from json import loads
from pathlib import Path
from uuid import uuid4

import numpy as np

from groundwork import manifest
from groundwork.manifest import FileEntry
from groundwork.study import Study
from literature import analysis, bm25, segment, stored
from literature.manifest import REMEDY, SegmentEntry
from literature.segment import (
    Array,
    Bools,
    Ints,
    Segment,
    chosen,
    coded,
    compressed,
    dated,
    hashes,
    identifiers,
    joined,
)
from literature.spool import Spool


class _Vocabulary(dict[str, int]):
    """A dict that numbers tokens in the order in which they first occur."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


def indexed(documents: Iterable[tuple[int, bytes]]) -> Segment:
    """Build a segment from documents.

    Args:
        documents: (PMID, `stored.fields` as JSON), with ascending PMIDs; at most `segment.LARGEST` documents.
    """
    vocabulary, spoken = _Vocabulary(), array("I")
    pmids, ends, retracted, notices, years, studies, dois, titles, sources = [], [], [], [], [], [], [], [], []
    for pmid, line in documents:
        fields = loads(line)
        spoken.extend(map(vocabulary.__getitem__, analysis.tokens(stored.searched(fields))))
        pmids.append(pmid)
        ends.append(len(spoken))
        retracted.append(fields["retracted"])
        notices.append(stored.uncounted(fields))
        years.append(dated(fields))
        studies.append(Study(fields.get("design"), fields.get("taxon", "")))
        dois.append(fields.get("doi", ""))
        titles.append(fields["title"].encode("utf-8", "surrogatepass"))
        sources.append(compressed(line))
    lengths = np.diff(ends, prepend=0)
    terms = hashes(vocabulary)
    order = np.argsort(terms)
    rank = np.empty(len(terms), dtype=np.int64)
    rank[order] = np.arange(len(terms))
    numbers = rank[np.frombuffer(spoken, np.uintc)] if spoken else rank
    numbers *= len(pmids)
    numbers += np.repeat(np.arange(len(pmids)), lengths)
    postings, frequencies = _counted(numbers)
    del numbers, spoken  # frees 60 MB for a full segment
    stored_lengths = np.array([bm25.stored_length(length) for length in lengths.tolist()], dtype=np.int64)
    holders = postings % max(1, len(pmids))
    return _made(
        np.array(pmids, dtype=np.int64),
        np.array(retracted, dtype=bool),
        np.array(years, dtype=np.int64),
        np.array(notices, dtype=bool),
        (*coded(studies), identifiers(dois)),
        terms[order],
        postings,
        (frequencies, stored_lengths[holders]),
        titles,
        sources,
    )


def merged(parts: Sequence[tuple[Segment, Bools]]) -> Segment:
    """Build one segment from documents of other segments.

    Args:
        parts: Segments, each with a mask of the documents to keep; at most `segment.LARGEST` documents in all, and no
            PMID twice.
    """
    pmids = np.concatenate([part.pmids[kept] for part, kept in parts])
    order = np.argsort(pmids)
    place = np.empty(len(pmids), dtype=np.int64)
    place[order] = np.arange(len(pmids))
    terms = np.unique(np.concatenate([part.terms for part, _ in parts]))
    keys, frequencies, lengths, before = [], [], [], 0
    for part, kept in parts:
        new = np.zeros(len(part), dtype=np.int64)
        new[kept] = place[before : before + int(kept.sum())]
        before += int(kept.sum())
        alive = kept[part.documents]
        ranks = np.repeat(np.searchsorted(terms, part.terms), np.diff(part.first))
        keys.append(ranks[alive] * len(pmids) + new[part.documents[alive]])
        frequencies.append(part.frequencies[part.kinds[alive]])
        lengths.append(part.lengths[part.kinds[alive]])
    every = np.concatenate(keys)
    by_key = slice(None) if len(parts) == 1 else np.argsort(every)
    counts = np.concatenate(frequencies)[by_key].astype(np.int64), np.concatenate(lengths)[by_key].astype(np.int64)
    studies = [(part.studies(), kept) for part, kept in parts]
    designs, taxa = [each[0][kept] for each, kept in studies], [each[1][kept] for each, kept in studies]
    dois = [part.identified()[kept] for part, kept in parts]
    titles = [text for part, kept in parts for text in chosen(part.titles, part.title_ends, kept)]
    sources = [text for part, kept in parts for text in chosen(part.sources, part.source_ends, kept)]
    return _made(
        pmids[order],
        np.concatenate([part.retracted[kept] for part, kept in parts])[order],
        np.concatenate([part.published()[kept] for part, kept in parts])[order],
        np.concatenate([part.uncounted()[kept] for part, kept in parts])[order],
        (np.concatenate(designs)[order], np.concatenate(taxa)[order], np.concatenate(dois)[order]),
        terms,
        every[by_key],
        counts,
        [titles[number] for number in order.tolist()],
        [sources[number] for number in order.tolist()],
    )


def _counted(keys: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys, ascending, and how often each one occurs. Sorts `keys` in place."""
    keys.sort()
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    first = np.flatnonzero(new)
    return keys[first], np.diff(first, append=len(keys))


def _made(
    pmids: Ints,
    retracted: Bools,
    years: Ints,
    notices: Bools,
    studies: tuple[Array, Array, Array],
    terms: Array,
    postings: Ints,
    counts: tuple[Ints, Ints],
    titles: Sequence[bytes],
    sources: Sequence[bytes],
) -> Segment:
    """Assemble a segment from its parts.

    Args:
        pmids: See `Segment`.
        retracted: See `Segment`.
        years: See `Segment`.
        notices: See `Segment`.
        studies: The arrays `designs`, `taxa` and `dois` of `Segment`.
        terms: The terms, ascending. The segment leaves out terms without a posting.
        postings: One integer per posting (a term in a document): index of the term * number of documents + index of the
            document; ascending.
        counts: Two arrays with one number per posting: how often the document holds the term, and the document's stored
            length.
        titles: The title of each document.
        sources: The stored fields of each document, compressed.
    """
    size = max(1, len(pmids))
    held, holding = _counted(postings // size)
    kinds, frequencies, lengths = _kinds(*counts)
    title_bytes, title_ends = joined(titles)
    source_bytes, source_ends = joined(sources)
    return Segment(
        pmids,
        retracted,
        terms[held],
        np.concatenate([[0], np.cumsum(holding)]),
        (postings % size).astype(np.uint16),
        kinds,
        frequencies,
        lengths,
        title_bytes,
        title_ends,
        source_bytes,
        source_ends,
        years,
        notices,
        *studies,
    )


def _kinds(frequencies: Ints, lengths: Ints) -> tuple[Array, Array, Array]:
    """Number the distinct pairs (frequency, length) of the postings."""
    lengths, ranks = _ranked(lengths)
    wide = max(1, len(lengths))
    pairs, kinds = _ranked(frequencies * wide + ranks)
    narrow = np.uint16 if len(pairs) <= 1 << 16 else np.uint32
    return kinds.astype(narrow), (pairs // wide).astype(np.uint32), lengths[pairs % wide].astype(np.uint32)


def _ranked(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the distinct numbers, ascending, and each number's rank among them. Numbers are small and not negative."""
    there = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


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
