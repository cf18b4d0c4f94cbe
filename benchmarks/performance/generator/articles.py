"""Generate PubMed files: a baseline and its updates, each with its .md5, and the resulting articles."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import md5, sha256
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from benchmarks.performance.generator.lines import opened

_YEAR = 27  # of the file names
_WORDS = 20_000
_LABELS = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")
_SYLLABLES = ("ka", "ro", "min", "tal", "ze", "pro", "vis", "gen", "ol", "ine", "ase", "ther", "ly", "du", "chro", "n")


@dataclass(frozen=True)
class Article:
    """An article as PubMed has it; texts without markup.

    Attributes:
        pmid: Its PMID.
        title: Its title; empty for a few.
        parts: Parts of the abstract as (label, text): several with labels, one without a label, or none.
        year: Year of its issue.
        journal: Its journal's name.
        retracted: Whether a notice of retraction refers to it.
    """

    pmid: int
    title: str
    parts: tuple[tuple[str, str], ...]
    year: int
    journal: str
    retracted: bool = False

    @property
    def abstract(self) -> str:
        """The parts one after the other, each after its label."""
        return " ".join(f"{label}: {text}" if label else text for label, text in self.parts)


class _Author:
    """Writes articles of made-up words with frequencies by Zipf's law."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        syllables = rng.integers(0, len(_SYLLABLES), (_WORDS, 3))
        self._words = ["".join(_SYLLABLES[place] for place in word) for word in syllables]

    def write(self, pmid: int) -> Article:
        """Return an article with a new text for a PMID."""
        rng = self._rng
        title = "" if rng.random() < 0.005 else self._text(12)
        form = rng.random()
        if form < 0.15:
            parts: tuple[tuple[str, str], ...] = ()
        elif form < 0.6:
            parts = (("", self._text(160) + " p < 0.05 & rising."),)
        else:
            parts = tuple((label, self._text(50)) for label in _LABELS)
        return Article(pmid, title, parts, int(rng.integers(1960, 2026)), f"Journal of {self._text(2)}")

    def _text(self, count: int) -> str:
        ranks = np.minimum(self._rng.zipf(1.3, count), _WORDS) - 1
        return " ".join(self._words[rank] for rank in ranks)


def articles(
    out: Path,
    *,
    records: int,
    files: int = 3,
    seed: int = 1,
    revised: float = 0.05,
    deleted: float = 0.01,
    retracted: float = 0.01,
) -> dict[str, Any]:
    """Write baseline files and one update file into a folder, each with its .md5, and their account as truth.json.

    Args:
        out: The folder, which is made if absent.
        records: Number of articles in the baseline.
        files: Number of baseline files.
        seed: The same seed gives the same bytes.
        revised: Share of the articles that get another text in the update. Half as many articles are new in it.
        deleted: Share of the articles that the update deletes.
        retracted: Share of the articles that the update marks as retracted.
    """
    rng = default_rng([seed, 30])
    author = _Author(rng)
    known = {3 * number + 1: author.write(3 * number + 1) for number in range(records)}
    out.mkdir(parents=True, exist_ok=True)
    pmids = list(known)
    paths = []
    for number in range(files):
        part = [known[pmid] for pmid in pmids[number::files]]
        paths.append(_write(out / f"pubmed{_YEAR}n{number + 1:04}.xml.gz", part, ()))
    baseline = _state(known)
    ends = np.cumsum([round(records * share) for share in (deleted, retracted, revised, revised / 2)])
    gone, withdrawn, changed, _ = (part.tolist() for part in np.split(rng.permutation(pmids), ends[:-1])[:4])
    new = [3 * (records + number) + 1 for number in range(ends[3] - ends[2])]
    update = [replace(known[pmid], retracted=True) for pmid in withdrawn]
    update += [author.write(pmid) for pmid in (*changed, *new)]
    paths.append(_write(out / f"pubmed{_YEAR}n{files + 1:04}.xml.gz", update, gone))
    known |= {article.pmid: article for article in update}
    for pmid in gone:
        del known[pmid]
    told = {
        "baseline": [path.name for path in paths[:-1]],
        "updates": [paths[-1].name],
        "rows": {"baseline": records, "updates": len(update) + len(gone)},
        "after_baseline": baseline,
        "after_updates": _state(known),
        "update": {"added": len(new), "changed": len(withdrawn) + len(changed), "removed": len(gone)},
    }
    (out / "truth.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told


def digest(rows: Sequence[tuple[int, str, str, int | None, str | None, bool]]) -> str:
    """Return the SHA-256 of the lines (PMID, title, abstract, year, journal, retracted) as JSON, by ascending PMID."""
    lines = "\n".join(json.dumps(row) for row in sorted(rows))
    return sha256(lines.encode()).hexdigest()


def _state(known: dict[int, Article]) -> dict[str, Any]:
    rows = [(a.pmid, a.title, a.abstract, a.year, a.journal, a.retracted) for a in known.values()]
    return {
        "documents": len(known),
        "retracted": sum(article.retracted for article in known.values()),
        "digest": digest(rows),
    }


def _write(path: Path, records: Sequence[Article], deleted: Sequence[int]) -> Path:
    with opened(path) as file:
        file.write(b'<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
        file.writelines(_xml(article).encode() for article in records)
        if deleted:
            pmids = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
            file.write(f"<DeleteCitation>{pmids}</DeleteCitation>\n".encode())
        file.write(b"</PubmedArticleSet>\n")
    checksum = md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    path.with_name(path.name + ".md5").write_text(f"MD5({path.name})= {checksum}\n", "utf-8")
    return path


def _xml(article: Article) -> str:
    date = f"<Year>{article.year}</Year>"
    if article.pmid % 10 == 1:
        date = f"<MedlineDate>{article.year} Dec-{article.year + 1} Jan</MedlineDate>"
    notice = ""
    if article.retracted:
        notice = (
            '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"><RefSource>J</RefSource>'
            "<PMID>2</PMID></CommentsCorrections></CommentsCorrectionsList>"
        )
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{article.pmid}</PMID>'
        f"<Article><Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue>"
        f"<Title>{escape(article.journal)}</Title></Journal><ArticleTitle>{_marked(article.title)}</ArticleTitle>"
        f"{_abstract(article)}<Language>eng</Language></Article>{notice}</MedlineCitation></PubmedArticle>\n"
    )


def _abstract(article: Article) -> str:
    if not article.parts:
        return ""
    parts = (
        f'<AbstractText Label="{label}">{_marked(text)}</AbstractText>'
        if label
        else f"<AbstractText>{_marked(text)}</AbstractText>"
        for label, text in article.parts
    )
    return f"<Abstract>{''.join(parts)}</Abstract>"


def _marked(text: str) -> str:
    """Return the text as XML with its first word in italics."""
    first, blank, rest = text.partition(" ")
    return f"<i>{escape(first, quote=False)}</i>{blank}{escape(rest, quote=False)}" if first else ""
