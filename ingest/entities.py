"""Read entity rows, one block of lines at a time. Decide which rows can be kept and why the others are rejected.

Whole columns are processed at once. Only unusual ids are examined one by one in Python, each once per block.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.ports import Progress
from groundwork.vocabulary import TYPES, VARIANTS
from ingest import identifiers
from ingest.lines import KEPT, Lines, Verdicts, reasons, verdict
from ingest.rejects import Reason, Rejects, RowCount
from ingest.release import SourceFile

_TABS = 4  # number of tabs between pmid, type, id, mentions and resource


def _alternatives(types: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(types)))


#: A text `Type TAB id` that is a key if the tab is replaced by a bar: `identifiers.keys` would return the id unchanged.
#: The id of a variant must also not match `_MISSING`.
_ORDINARY = (
    rf"^(?:(?:{_alternatives(TYPES - VARIANTS)})\t{identifiers.ORDINARY}"
    rf"|(?:{_alternatives(VARIANTS)})\t[!-%'-~]+)$"
)
_MISSING = r"(?i)\t(?:[^:]*:)?(?:-|-1|none)?$"


@dataclass(frozen=True, slots=True)
class Entities:
    """The rows of a block that can be kept, in the file's order.

    Attributes:
        pmids: PMID of each row, int64.
        ids: For each row, the position in `keys` of the list of its keys, int32.
        mentions: Mentions of each row as in the file, joined by bars; empty if there are none.
        keys: Lists of distinct keys; some lists may belong to no row.
    """

    pmids: pa.Int64Array
    ids: pa.Int32Array
    mentions: pa.StringArray
    keys: pa.ListArray


def read(files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[Entities]:
    """Yield the entity rows of some files, block by block.

    Args:
        files: The files, each read to its end, one after the other.
        rejects: Receives the lines that are not entity rows, including those whose only id is `-`.
        rows: Receives the number of rows kept.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, or contains no row.
    """
    for file in files:
        for block in file.blocks(progress):
            if block.overlong:
                rejects.add(file.path, block.number, Reason.OVERLONG_LINE, block.data)
                continue
            lines = Lines.of(block)
            found, verdicts = _entities(lines, rows.organisms)
            refused = np.flatnonzero(verdicts != KEPT)
            rejects.add_all(
                file.path,
                pa.array(lines.numbers[refused] + block.number),
                reasons(verdicts[refused]),
                lines.between(lines.starts[refused], lines.ends[refused], pa.binary()),
            )
            rows.kept += len(found.ids)
            yield found


def _entities(lines: Lines, organisms: dict[str, str]) -> tuple[Entities, Verdicts]:
    """Return the rows that can be kept, and the verdict of each line. Add the organisms that their ids tell."""
    verdicts = lines.verdicts(_TABS)
    rows = np.flatnonzero(verdicts == KEPT)
    ids = lines.column(rows, 1, 2).dictionary_encode()
    positions = ids.indices.to_numpy()
    keys, unkeyed = _keys(ids.dictionary)
    for text in ids.dictionary.filter(pc.match_substring(ids.dictionary, "(tax:", ignore_case=True)).to_pylist():
        organisms |= identifiers.organisms(*text.split("\t", 1))
    pmids = identifiers.pmids(lines.column(rows, 0, 0))
    verdicts[rows] = np.where(pmids == 0, verdict(Reason.BAD_PMID), unkeyed[positions])
    kept = np.flatnonzero(verdicts[rows] == KEPT)
    mentions = lines.column(rows[kept], 3, 3)
    return Entities(pa.array(pmids[kept]), pa.array(positions[kept]), mentions, keys), verdicts


def _keys(texts: pa.StringArray) -> tuple[pa.ListArray, Verdicts]:
    """Return the keys of each text `Type TAB id`, and the verdict of each text: `KEPT`, or why it has no keys."""
    short = pc.less_equal(pc.binary_length(texts), identifiers.KEY_BYTES)
    ordinary = pc.and_(short, pc.match_substring_regex(texts, _ORDINARY))
    ordinary = pc.and_not(ordinary, pc.match_substring_regex(texts, _MISSING))
    others = np.flatnonzero(~ordinary.to_numpy(zero_copy_only=False))
    parsed = [_parsed(text) for text in texts.take(pa.array(others)).to_pylist()]
    verdicts = np.full(len(texts), KEPT, np.int8)
    verdicts[others] = [verdict(found) if isinstance(found, Reason) else KEPT for found in parsed]
    lists = [() if isinstance(found, Reason) else found for found in parsed]
    sizes = np.ones(len(texts), np.int32)
    sizes[others] = [len(keys) for keys in lists]
    single = pc.replace_substring(texts.filter(ordinary), "\t", "|", max_replacements=1)
    owners = np.concatenate([np.setdiff1d(np.arange(len(texts)), others), np.repeat(others, sizes[others])])
    flat = pa.concat_arrays([single, pa.array(chain.from_iterable(lists), pa.string())])
    in_order = flat.take(pa.array(np.argsort(owners, kind="stable")))
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), in_order), verdicts


def _parsed(text: str) -> tuple[str, ...] | Reason:
    """Return the distinct keys of a text `Type TAB id`, or why it has none."""
    kind, _, ident = text.partition("\t")
    return identifiers.keys(kind, ident) if kind in TYPES else Reason.UNKNOWN_TYPE
