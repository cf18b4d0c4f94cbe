"""Read the files of the sample with plain code, without the readers of the program."""

import html
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lxml import etree

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "truthhypo" / "sample"
RELEASES = ["relation2pubtator3.tsv", "relation2pubtator3.next.tsv"]

TYPE_RANK = {"Chemical": 0, "Disease": 1, "Gene": 2, "SNP": 3, "DNAMutation": 3, "ProteinMutation": 3}
VARIANTS = {type_ for type_, rank in TYPE_RANK.items() if rank == 3}


class Row(NamedTuple):
    pmid: int
    relation: str
    head: str
    tail: str


class Names(NamedTuple):
    pmid: int
    type: str
    id: str
    mentions: list[str]


class Annotation(NamedTuple):
    start: int
    end: int
    mention: str
    type: str
    id: str


class Document(NamedTuple):
    pmid: int
    title: str
    abstract: str
    annotations: list[Annotation]
    relations: list[tuple[str, str, str]]

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract}"


def lines(name: str) -> list[str]:
    text = (SAMPLE / name).read_bytes().decode("utf-8")
    assert "\r" not in text
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


@cache
def rows(name: str = RELEASES[0]) -> list[Row]:
    return [
        Row(int(pmid), relation, html.unescape(head), html.unescape(tail))
        for pmid, relation, head, tail in (line.split("\t") for line in lines(name))
    ]


@cache
def names() -> list[Names]:
    split = (line.split("\t") for line in lines("bioconcepts2pubtator3.tsv"))
    return [Names(int(pmid), type_, id_, mentions.split("|")) for pmid, type_, id_, mentions, _resource in split]


@cache
def documents() -> dict[int, Document]:
    found = {}
    for block in "\n".join(lines("documents.pubtator")).split("\n\n"):
        title, abstract, *rest = block.strip("\n").split("\n")
        pmid, _, title_text = title.split("|", 2)
        assert title.split("|")[1] == "t"
        assert abstract.startswith(f"{pmid}|a|")
        annotations, relations = [], []
        for fields in (line.split("\t") for line in rest):
            assert fields[0] == pmid
            if len(fields) == 6:
                annotations.append(Annotation(int(fields[1]), int(fields[2]), *fields[3:]))
            else:
                relations.append((fields[1], fields[2], fields[3]))
        assert int(pmid) not in found
        found[int(pmid)] = Document(int(pmid), title_text, abstract.split("|", 2)[2], annotations, relations)
    return found


@cache
def pubmed() -> etree._Element:
    parser = etree.XMLParser(no_network=True, load_dtd=False)
    return etree.parse(SAMPLE / "pubmed.xml", parser).getroot()


def record_text(record: etree._Element) -> str:
    return " ".join("".join(part.itertext()) for part in record.iter("ArticleTitle", "AbstractText"))


def concepts(name: str = RELEASES[0]) -> set[str]:
    return {key for row in rows(name) for key in (row.head, row.tail)}


def part(id_: str, name: str) -> str | None:
    """Return a named part of a variant's id, such as `RS#`."""
    found = [piece.partition(":")[2] for piece in id_.split(";") if piece.startswith(f"{name}:")]
    return found[0] if found else None


def is_variant(key: str) -> bool:
    return key.split("|")[0] in VARIANTS


def coarse_type(key: str) -> str:
    """The key's type, with all variant types as one."""
    return "Variant" if is_variant(key) else key.split("|")[0]


def key_of(type_: str, id_: str) -> str:
    """Return the key of a concept in the relation file. A variant is found by its dbSNP number."""
    if type_ != "Mutation" and type_ not in VARIANTS:
        return f"{type_}|{id_}"
    number = part(id_, "RS#")
    variants = {part(key.split("|", 1)[1], "RS#"): key for key in concepts() if is_variant(key)}
    return variants[number]


def mentions_of_keys() -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in names():
        counts[key_of(row.type, row.id)].update(row.mentions)
    return counts


def resolve(name: str) -> set[str]:
    return {
        key
        for key, counts in mentions_of_keys().items()
        if name.casefold() in {mention.casefold() for mention in counts}
    }


def order(key: str) -> tuple[int, str, str]:
    type_, id_ = key.split("|", 1)
    return TYPE_RANK[type_], id_, type_


def edges(name: str = RELEASES[0]) -> dict[tuple[str, str, str], set[int]]:
    found: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for row in rows(name):
        found[row.head, row.relation, row.tail].add(row.pmid)
    return found


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+(?=[A-Z]|rs)", text.strip())


def texts() -> list[str]:
    """Return every title and abstract, those of the documents and those of PubMed."""
    return [d.text for d in documents().values()] + [record_text(record) for record in pubmed().iter("PubmedArticle")]


def readme_table(*header: str) -> list[list[str]]:
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("| " + " | ".join(header) + " |\n")
    assert rest, header
    table = rest.split("\n\n")[0].strip().split("\n")[1:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table]


def readme_concepts() -> list[list[str]]:
    return readme_table("Type", "Id", "Name here", "Registered as")
