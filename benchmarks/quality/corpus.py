"""BioRED and BC5CDR as people annotated them, other abstracts as distractors, and names from dictionaries.

All tuning uses only `training`: BioRED Train and BC5CDR without the abstracts that BioRED Dev shares with them.
`held_out` is BioRED Dev; it is for the figures in MEASURED.md.
"""

import csv
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from groundwork.records import Concept
from ingest import identifiers, predicates
from ingest.rejects import Reason

Names = dict[str, Counter[str]]

#: The count of a dictionary's preferred name. Other names have smaller counts, so that this name is preferred.
PREFERRED = 2

_TEXT = re.compile(r"(\d+)\|([ta])\|(.*)")


@dataclass(frozen=True)
class Annotation:
    """A span of text and its keys. It has several keys if it names several things, and none if it is not normalised."""

    text: str
    type: str
    keys: tuple[str, ...]


@dataclass
class Article:
    """An annotated abstract; relations are (head, relation, tail), with keys as ends, in the order of the file."""

    pmid: int
    title: str
    abstract: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Title and abstract, joined as the offsets of annotations assume."""
        return f"{self.title} {self.abstract}"


def training(data: Path) -> list[Article]:
    """Return BioRED Train and BC5CDR without the abstracts of BioRED Dev. If both have one, BioRED's is used."""
    dev = {article.pmid for article in held_out(data)}
    found: dict[int, Article] = {}
    for article in [*_read(data / "biored/Train.PubTator"), *_read(data / "bc5cdr/CDR_TrainingSet.PubTator.txt")]:
        if article.pmid not in dev:
            found.setdefault(article.pmid, article)
    return list(found.values())


def biored_training(data: Path) -> list[int]:
    """Return the PMIDs of `training` that BioRED annotated."""
    dev = {article.pmid for article in held_out(data)}
    return [article.pmid for article in _read(data / "biored/Train.PubTator") if article.pmid not in dev]


def bc5cdr(data: Path) -> tuple[list[Article], list[Article]]:
    """Return (training, test) articles. Training articles are BioRED Train and one half of BC5CDR's training set, and
    the other half is the test. No abstract is in both."""
    articles = list(_read(data / "bc5cdr/CDR_TrainingSet.PubTator.txt"))
    half = len(articles) // 2
    tested = {article.pmid for article in articles[half:]}
    biored = [article for article in _read(data / "biored/Train.PubTator") if article.pmid not in tested]
    return [*biored, *(a for a in articles[:half] if a.pmid not in {b.pmid for b in biored})], articles[half:]


def held_out(data: Path) -> list[Article]:
    """Return the articles of BioRED Dev."""
    return list(_read(data / "biored/Dev.PubTator"))


def distractors(data: Path) -> Iterator[tuple[int, str]]:
    """Other abstracts and passages: PubMedQA, Citation-Integrity, HealthVer, PubTator 3 and Central, PubMed's sample.

    A text without a PMID gets a number above all PMIDs.
    """
    for pmid, item in json.loads((data / "pubmedqa/pqal_dev.json").read_text("utf-8")).items():
        yield int(pmid), " ".join([item["QUESTION"], *item["CONTEXTS"]])
    sample = json.loads((data / "pubtator3/demo_pubtator.biocjson").read_text("utf-8"))["PubTator3"]
    yield from ((int(item["id"]), " ".join(part["text"] for part in item["passages"])) for item in sample)
    legacy: dict[int, str] = {}
    for line in (data / "pubtator_legacy/1-sample-annotations.txt").read_text("utf-8").splitlines():
        if given := _TEXT.match(line):
            legacy[int(given[1])] = f"{legacy.get(int(given[1]), '')} {given[3]}"
    yield from legacy.items()
    records = etree.fromstring(gzip.decompress((data / "pubmed_xml/pubmedsample_2019.xml.gz").read_bytes()))
    for record in records.iter("PubmedArticle"):
        parts = ["".join(part.itertext()) for part in record.iter("ArticleTitle", "AbstractText")]
        yield int(record.findtext(".//PMID") or 0), " ".join(parts)
    number = 900_000_000
    with (data / "healthver/healthver_dev.csv").open(encoding="utf-8", newline="") as file:
        passages = sorted({row["evidence"] for row in csv.DictReader(file)})
    lines = (data / "citation_integrity/corpus.jsonl").read_text("utf-8").splitlines()
    passages += [" ".join(json.loads(line)["abstract"]) for line in lines]
    yield from enumerate(passages, number)


def mentioned(articles: Iterable[Article]) -> Names:
    """Return the counts of each concept's names. A mention of several concepts counts for each, as in a load."""
    names: Names = defaultdict(Counter)
    for article in articles:
        for annotation in article.annotations:
            for key in annotation.keys:
                names[key][annotation.text] += 1
    return names


def dictionaries(data: Path, *, full: bool = False) -> Names:
    """Return MeSH's headings for diseases (with symptoms and mental disorders) and chemicals, and names of human genes.

    Each name counts once, like a row of a file of concepts.

    Args:
        data: The folder of real data.
        full: Count preferred names more, and add the descriptions and other designations of genes. This helps linking.
            Claims and queries should use the names that authors use.
    """
    names: Names = defaultdict(Counter)
    with (data / "mesh/tree-numbers.tsv").open(encoding="utf-8") as file:
        for ident, name, tree in csv.reader(file, delimiter="\t"):
            kind = {"C": "Disease", "F": "Disease", "D": "Chemical"}.get(tree[0])
            if kind:
                names[f"{kind}|MESH:{ident}"][name] = PREFERRED if full else 1
    with gzip.open(data / "genes/Homo_sapiens.gene_info.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                row = line.rstrip("\n").split("\t")
                called = [row[2], *row[4].split("|"), row[11]]
                called += [row[8], *row[13].split("|")] if full else []
                key = f"Gene|{row[1]}"
                names[key].update(dict.fromkeys((name for name in called if name != "-"), 1))
                if full:
                    names[key][row[2]] = PREFERRED
    return names


def concepts(*names: Mapping[str, Mapping[str, int]]) -> list[Concept]:
    """Make concepts from counts of names, as a load does."""
    added: Names = defaultdict(Counter)
    for source in names:
        for key, counts in source.items():
            added[key].update(counts)
    return [concept(key, added[key]) for key in sorted(added)]


def concept(key: str, counts: Mapping[str, int]) -> Concept:
    """Make a concept from counts of its names, most frequent first. Names that were never seen are left out."""
    ranked = sorted(((n, c) for n, c in counts.items() if c > 0), key=lambda item: (-item[1], item[0]))
    names = tuple(name for name, _ in ranked)
    return Concept(key, names[0] if names else key.partition("|")[2], names, tuple(count for _, count in ranked))


def _read(path: Path) -> Iterator[Article]:
    """Yield the articles of a file in PubTator format."""
    article: Article | None = None
    waiting: list[tuple[str, str, str]] = []
    for line in [*path.read_text("utf-8").splitlines(), ""]:
        if not line.strip():
            if article is not None:
                _relate(article, waiting)
                yield article
            article, waiting = None, []
        elif given := _TEXT.match(line):
            if article is None:
                article = Article(int(given[1]), given[3])
            else:
                article.abstract = given[3]
        elif article is not None:
            columns = line.split("\t")
            if columns[1].isdigit():
                kind = predicates.ENTITY_TYPES[columns[4]]
                keys = identifiers.keys(columns[4], columns[5] if len(columns) > 5 else "-")
                named = () if isinstance(keys, Reason) else keys
                article.annotations.append(Annotation(columns[3], kind, named))
            else:
                waiting.append((columns[1], columns[2], columns[3]))


def _relate(article: Article, relations: Iterable[tuple[str, str, str]]) -> None:
    """Add relations to an article. Their bare ids are replaced by the keys of the annotations with these ids."""
    keys = {key.partition("|")[2].removeprefix("MESH:"): key for a in article.annotations for key in a.keys}
    for name, head, tail in relations:
        ends = keys.get(head.removeprefix("MESH:")), keys.get(tail.removeprefix("MESH:"))
        if ends[0] and ends[1]:
            article.relations.append((ends[0], name, ends[1]))
