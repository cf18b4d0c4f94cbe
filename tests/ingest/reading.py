"""Read whole documents and articles for tests, with the counted and the rejected rows."""

from dataclasses import dataclass
from pathlib import Path

from groundwork.ports import Silent
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
