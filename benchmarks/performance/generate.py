"""Generate release files, files of names and PubMed files, each with its known content.

Names have the format of bioconcepts2pubtator3. A concept has a list of a few names, the most frequent first. A row
mentions some consecutive names of this list. PubMed files are a baseline and its updates, each with its .md5.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b, md5, sha256
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from benchmarks import parser_of
from benchmarks.performance import generated_release
from benchmarks.performance.generated_release import NAME_TRAPS, Counts, Extras, account, opened, write

TYPE_SHARES = {"Gene": 0.45, "Disease": 0.15, "Chemical": 0.25, "Species": 0.05, "Mutation": 0.08, "CellLine": 0.02}
_ROWS = 200_000  # rows drawn at a time; another number gives another file for the same seed
_ROWS_PER_ARTICLE = 11
_MOST_NAMES = 6
_EMPTY = 0.13  # share of rows without mentions (60 of 447 million)
_UNNORMALISED = 0.024  # share of rows whose id is `-` (10.7 of 447 million)
_PAIRED = 0.01  # share of rows with two ids
#: Forms of the names of a concept, with quotes and blanks as authors leave them, and a mention that is a dash.
_FORMS = ("{0} factor {1}", "{0}-{1}", 'Toll"-like {0} ({1}', "-", "{0} {1}, type II", "anti–{0}″{1}")
_YEAR = 27  # of the file names
_WORDS = 20_000
_LABELS = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")
_SYLLABLES = ("ka", "ro", "min", "tal", "ze", "pro", "vis", "gen", "ol", "ine", "ase", "ther", "ly", "du", "chro", "n")


@dataclass(frozen=True)
class Names:
    """Concepts and their names as columns.

    Attributes:
        kinds: Type of each concept, a place in `TYPE_SHARES`.
        ids: Id of each concept; the concepts of one type stand together.
        starts: Where the names of each concept begin in `names`, with one more entry than there are concepts.
        names: All names.
    """

    kinds: NDArray[np.int64]
    ids: list[str]
    starts: NDArray[np.int64]
    names: list[str]

    def key(self, concept: int) -> str:
        """Return the key of a concept: type and id."""
        return f"{list(TYPE_SHARES)[self.kinds[concept]]}|{self.ids[concept]}"


@dataclass(frozen=True)
class Rows:
    """Some rows: the concept of each, a second concept or -1, the first name mentioned and the number of names."""

    concepts: NDArray[np.int64]
    seconds: NDArray[np.int64]
    first: NDArray[np.int64]
    mentions: NDArray[np.int64]


def names(
    out: Path, *, rows: int, concepts: int, seed: int = 1, traps: float = 0.001, table: Path | None = None
) -> dict[str, Any]:
    """Write a file of names with its account beside it.

    Args:
        out: The file, compressed if its name ends in .gz.
        rows: Number of rows with a concept, in addition to rows with the id `-` and spoilt rows.
        concepts: Number of concepts to draw from.
        seed: The same seed gives the same bytes.
        traps: Spoilt lines as a share of the rows.
        table: Where to write all (key, name, count), if anywhere.
    """
    known = _make(concepts, default_rng([seed, 20]))
    counts = np.zeros(len(known.names), np.int64)
    joined: Counter[tuple[int, int]] = Counter()
    held = np.zeros(len(known.ids), bool)
    dashes = round(rows * _UNNORMALISED)
    extras = Extras(rows, traps, 0.0, default_rng([seed, 21]), NAME_TRAPS)

    def lines() -> Iterator[pa.BinaryArray]:
        chance = default_rng([seed, 22])
        for start in range(0, rows, _ROWS):
            drawn = _draw(known, min(_ROWS, rows - start), chance)
            _count(drawn, counts, joined, held)
            yield _lines(known, drawn, start)
        yield pa.array([b"%d\tChemical\t-\tBE%d|extract\tPubTator3\n" % (n + 1, n) for n in range(dashes)], pa.binary())

    write(out, lines(), extras)
    rejected = Counter({reason: count for reason, count in extras.counts.items() if isinstance(reason, str)})
    rejected["empty_id"] += dashes
    assert Counts.KEPT not in extras.counts
    total = _total(known, counts, joined)
    if table:
        pq.write_table(
            pa.Table.from_pylist([dict(zip(("key", "name", "count"), row, strict=True)) for row in total]), table
        )
    kinds = Counter(known.key(concept).split("|", 1)[0] for concept in np.flatnonzero(held))
    told = {
        "rows": {"read": rows + rejected.total(), "kept": rows, "rejected": rejected.total()},
        "rejected_by_reason": dict(sorted(rejected.items())),
        "concepts": int(held.sum()),
        "concepts_by_type": dict(sorted(kinds.items())),
        "names": len(total),
        "digest": digest_names(total),
    }
    account(out).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told


def digest_names(rows: list[tuple[str, str, int]]) -> str:
    """Return the SHA-256 of the sorted 16-byte BLAKE2b hashes of `key TAB name TAB count`."""
    hashes = (blake2b(f"{key}\t{name}\t{count}".encode(), digest_size=16).digest() for key, name, count in rows)
    return sha256(b"".join(sorted(hashes))).hexdigest()


def _make(count: int, rng: Generator) -> Names:
    sizes = [max(3, round(count * share)) for share in TYPE_SHARES.values()]
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    lengths = rng.integers(1, _MOST_NAMES + 1, len(kinds))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    turns = rng.integers(0, len(_FORMS), len(kinds))
    texts = [
        _FORMS[(turn + place) % len(_FORMS)].format(f"Prot{number:x}", place)
        for number, (turn, length) in enumerate(zip(turns, lengths, strict=True))
        for place in range(length)
    ]
    return Names(kinds, [_ident(list(TYPE_SHARES)[kind], n) for n, kind in enumerate(kinds)], starts, texts)


def _ident(kind: str, n: int) -> str:
    if kind == "Mutation":
        return f"rs{n + 1}" if n % 3 == 0 else f"tmVar:c|SUB|A|{n}|G;HGVS:c.{n}A>G;VariantGroup:{n % 7}"
    return {"Gene": f"{n + 1}", "Species": f"{n + 1}", "CellLine": f"CVCL:{n:04X}"}.get(kind, f"MESH:D{n:06}")


def _draw(known: Names, count: int, rng: Generator) -> Rows:
    """Draw rows. Popular concepts come more often, and so do the first names of a concept."""
    concepts = (len(known.ids) * rng.random(count) ** 2).astype(np.int64)
    concepts = (concepts * 7919) % len(known.ids)  # so that each type has popular concepts
    lengths = np.diff(known.starts)[concepts]
    place = (lengths * rng.random(count) ** 2).astype(np.int64)
    mentions = np.minimum(rng.integers(1, 4, count), lengths - place)
    mentions[rng.random(count) < _EMPTY] = 0
    seconds = np.full(count, -1)
    # The second concept is the next in the list, if both have the same type. Ids of variants are never joined.
    other = np.minimum(concepts + 1, len(known.ids) - 1)
    variants = list(TYPE_SHARES).index("Mutation")
    fit = (known.kinds[other] == known.kinds[concepts]) & (other != concepts) & (known.kinds[concepts] != variants)
    paired = fit & (rng.random(count) < _PAIRED)
    seconds[paired] = other[paired]
    return Rows(concepts, seconds, known.starts[concepts] + place, mentions)


def _count(rows: Rows, counts: NDArray[np.int64], joined: Counter[tuple[int, int]], held: NDArray[np.bool_]) -> None:
    """Count the mentions of the rows: by name for their own concept, by (concept, name) for a second concept."""
    for place in range(3):
        counts += np.bincount(rows.first[rows.mentions > place] + place, minlength=len(counts))
    held[rows.concepts] = True
    for row in np.flatnonzero(rows.seconds >= 0):
        held[rows.seconds[row]] = True
        joined.update((int(rows.seconds[row]), int(rows.first[row]) + place) for place in range(rows.mentions[row]))


def _lines(known: Names, rows: Rows, start: int) -> pa.BinaryArray:
    texts = pa.array([name.encode() for name in known.names])
    ids = pa.array([ident.replace(">", "&gt;").encode() for ident in known.ids])
    kinds = pa.array([kind.encode() for kind in TYPE_SHARES])
    mentioned = [texts.take(pa.array(rows.first + place, mask=rows.mentions <= place)) for place in range(3)]
    # Arrow leaves out a row in which all names are null. An empty first name counts as no mention.
    mentioned[0] = mentioned[0].fill_null(b"")
    count = len(rows.concepts)
    seconds = ids.take(pa.array(rows.seconds, mask=rows.seconds < 0))
    resources = pa.array([b"PubTator3\n", b"PubTator3|gene2pubmed\n", b"\n"])
    return pc.binary_join_element_wise(
        pa.array((start + np.arange(count)) // _ROWS_PER_ARTICLE * 3 + 1).cast(pa.string()).cast(pa.binary()),
        kinds.take(pa.array(known.kinds[rows.concepts])),
        pc.binary_join_element_wise(ids.take(pa.array(rows.concepts)), seconds, b";", null_handling="skip"),
        pc.binary_join_element_wise(*mentioned, b"|", null_handling="skip"),
        resources.take(pa.array(np.arange(count) % 3)),
        b"\t",
    )


def _total(known: Names, counts: NDArray[np.int64], joined: Counter[tuple[int, int]]) -> list[tuple[str, str, int]]:
    """Return all (key, name, count) with counts above 0. Counts of a concept as first and as second id are added up."""
    owner = np.repeat(np.arange(len(known.ids)), np.diff(known.starts))
    total: Counter[tuple[str, str]] = Counter()
    for name in np.flatnonzero(counts):
        total[known.key(int(owner[name])), known.names[name]] += int(counts[name])
    for (concept, name), count in joined.items():
        total[known.key(concept), known.names[name]] += count
    return [(key, name, count) for (key, name), count in sorted(total.items())]


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


def digest_articles(rows: Sequence[tuple[int, str, str, int | None, str | None, bool]]) -> str:
    """Return the SHA-256 of the lines (PMID, title, abstract, year, journal, retracted) as JSON, by ascending PMID."""
    lines = "\n".join(json.dumps(row) for row in sorted(rows))
    return sha256(lines.encode()).hexdigest()


def _state(known: dict[int, Article]) -> dict[str, Any]:
    rows = [(a.pmid, a.title, a.abstract, a.year, a.journal, a.retracted) for a in known.values()]
    return {
        "documents": len(known),
        "retracted": sum(article.retracted for article in known.values()),
        "digest": digest_articles(rows),
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


def generate(arguments: Sequence[str] | None = None) -> None:
    """Generate release files: `python -m benchmarks generate KIND ... --out FILE` prints the account."""
    asked = _parser().parse_args(arguments)
    options: dict[str, Any] = vars(asked)
    make = options.pop("make")
    try:
        told = make(options.pop("out"), **options)
    except ValueError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(generate)
    kinds = parser.add_subparsers(required=True)
    relations = kinds.add_parser("relations", help="a release as relation2pubtator3")
    relations.add_argument("--rows", type=int, required=True)
    relations.add_argument("--concepts", type=int, default=60_000)
    relations.add_argument("--seed", type=int, default=1)
    relations.add_argument("--traps", type=float, default=0.001, help="share of spoilt lines")
    relations.set_defaults(make=generated_release.relations)
    successor = kinds.add_parser("successor", help="the release that follows one made by `relations`")
    successor.add_argument("--of", type=Path, required=True)
    successor.add_argument("--changed", type=float, default=0.02)
    successor.add_argument("--removed", type=float, default=0.01)
    successor.add_argument("--added", type=float, default=0.01)
    successor.set_defaults(make=generated_release.successor)
    named = kinds.add_parser("names", help="names of concepts as bioconcepts2pubtator3")
    named.add_argument("--rows", type=int, required=True)
    named.add_argument("--concepts", type=int, default=60_000)
    named.add_argument("--seed", type=int, default=1)
    named.add_argument("--traps", type=float, default=0.001, help="share of spoilt lines")
    named.set_defaults(make=names)
    for kind in (relations, successor, named):
        kind.add_argument("--truth", dest="table", type=Path, help="all edges or names, as Parquet")
    read = kinds.add_parser("articles", help="PubMed's files; --out is a folder")
    read.add_argument("--records", type=int, required=True)
    read.add_argument("--files", type=int, default=3)
    read.add_argument("--seed", type=int, default=1)
    read.set_defaults(make=articles)
    for kind in kinds.choices.values():
        kind.add_argument("--out", type=Path, required=True)
    return parser
