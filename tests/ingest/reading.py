"""Read whole documents and articles for tests, with the counted and the rejected rows; and ids in the plainest way."""

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from groundwork.ports import Silent
from groundwork.vocabulary import VARIANTS
from ingest.documents import pubtator
from ingest.documents.document import Deletion, Document, PubmedRecord
from ingest.pubmed import reader as pubmed
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFiles


@dataclass(frozen=True)
class Reading:
    """The result of reading some files; `rejected` holds (line, reason, text)."""

    items: list
    rows: RowCount
    rejected: list[tuple[int, str, str]]

    @property
    def reasons(self) -> list[tuple[int, str]]:
        return [(line, reason) for line, reason, _ in self.rejected]


def documents(tmp_path: Path, *sources: Path | bytes | str) -> Reading:
    return _read(pubtator.read, tmp_path, sources)


def articles(tmp_path: Path, *sources: Path | bytes | str) -> Reading:
    return _read(pubmed.read, tmp_path, sources)


def _read(reader, tmp_path: Path, sources) -> Reading:
    rows, log = RowCount(), tmp_path / "rejects.tsv"
    log.unlink(missing_ok=True)
    paths = [_written(tmp_path, number, source) for number, source in enumerate(sources)]
    with Rejects(log) as rejects:
        items: list[Document | PubmedRecord | Deletion] = list(reader(SourceFiles(paths), rejects, rows, Silent()))
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    fields = [line.split("\t", 3) for line in lines]
    return Reading(items, rows, [(int(line), reason, text) for _, line, reason, text in fields])


def _written(tmp_path: Path, number: int, source: Path | bytes | str) -> Path:
    if isinstance(source, Path):
        return source
    path = tmp_path / f"source{number}"
    path.write_bytes(source.encode("utf-8") if isinstance(source, str) else source)
    return path


def plain_keys(kind: str, text: str) -> list[str] | str:
    """Return the keys of an id column, read without regard to speed, or the reason why it has none."""
    whole = unescape(text).strip()
    parts = [whole] if kind in VARIANTS else [_bulk(part.strip()) for part in re.split("[,;|]", whole)]
    there = [part for part in parts if part.split(":", 1)[-1].strip() not in ("", "-", "-1", "None")]
    keys = list(dict.fromkeys(f"{kind}|{part}" for part in there))
    long = any(len(key.encode()) > 512 for key in keys)
    return "long_key" if long else keys or "empty_id"


def _bulk(part: str) -> str:
    bare = re.sub(r"\s*\(Tax:[0-9]+\)\Z", "", part)
    return re.sub(r"^CVCL_(?=\w)", "CVCL:", re.sub(r"^([DC][0-9]+)\Z", r"MESH:\1", bare))
