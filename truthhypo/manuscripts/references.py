"""The references of a manuscript: its list of references, its .bib files, and the places where it cites them.

A place of citation names its sources in one of these forms: a PMID or DOI in the text or in an address, a number of the
list of references ("[3-5]", "³", "(3)" if the text has no square brackets with numbers), a key ("[@smith2020]"), a
footnote ("[^1]"), or an author with a year ("(Smith et al., 2020)").
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, normalize

from groundwork.errors import InputError
from groundwork.readable import SUPERSCRIPT
from truthhypo.manuscripts.text import read_plain, reading

#: The parser of .bib files logs what it cannot read. No log shows this, since it is told as the problems of the file.
_UNHEARD = logging.NullHandler()
_PMID = re.compile(
    r"(?:\bPMIDs?[\s:#]*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{1,9}(?:\s*[,;]\s*\d{4,9})*)",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>\]\[{}|;]+")
_IDENTIFIER = re.compile(f"{_PMID.pattern}|{_DOI.pattern}", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_HEADING = re.compile(
    r"^[^\S\n]*(?:#+\s*|\d+\.?\s+)?\**(?:references|bibliography|(?:literature|works) cited|reference list)\**:?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT = re.compile(r"^[^\S\n]*#+\s+\S", re.M)
_NUMBERED = re.compile(r"^\s*\[?(\d{1,3})[\].)]+\s+|^\s*\[(\d{1,3})\]\s*|^\s*(\d{1,3})\s+(?=[A-Z])")
#: A footnote, or an entry of a list of references with a key.
_NOTE = re.compile(r"^[^\S\n]*\[([@^])([^\]\n]+)\]:\s*(.*(?:\n(?!\s*\n|\s*\[[@^]).+)*)", re.M)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹˒⁻", "0123456789,-")
_BRACKETS = re.compile(r"\[([^\[\]\n]{1,300})\]|\(([^()\n]{1,300})\)")
_LIST = re.compile(r"\d{1,3}(?:\s*[–-]\s*\d{1,3})?(?:\s*[,;]\s*\d{1,3}(?:\s*[–-]\s*\d{1,3})?)*")
_KEY = re.compile(r"(?<![\w.])-?@([\w:.#$%&+?<>~/-]*\w)")
_FOOTNOTE = re.compile(r"\[\^([^\]\n]+)\](?!:)")
_NAME = r"(?:[A-Z]['’])?[A-Z][^\W\d_]+(?:[-'’][A-Z][^\W\d_]+)*"
_NAMES = rf"({_NAME})(?:\s+(?:et\s+al\.?|(?:and|&)\s+{_NAME}))?"
_THEN = r"((?:19|20)\d\d[a-z]?)"
#: An author with a year in brackets: "(see Smith et al., 2020; Doe 2019)".
_AUTHOR_WITHIN = re.compile(
    rf"(?:^|;)\s*(?:(?:see|also|e\.g\.,?|cf\.|reviewed in|in|by)\s+)*{_NAMES},?\s+{_THEN}\s*(?=;|,|$)"
)
#: An author with the year in brackets: "Doe et al. (2019)".
_AUTHOR = re.compile(rf"{_NAMES}(?:['’]s)?\s+\({_THEN}\)")


class Source(NamedTuple):
    """One source of a place of citation: its kind (`pmid`, `doi`, `number`, `key`, `note` or `author`) and its name."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A place that cites: where it begins in the text, and the sources that it names."""

    start: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a list of references.

    Attributes:
        text: The entry as text.
        pmid: Its PMID; None if the entry has none.
        doi: Its DOI in lower case; empty if the entry has none.
        title: Its title, if a field of a .bib file gives it; otherwise empty.
        author: Family name of the first author, in lower case and without accents; empty if unknown.
        year: Its year; empty if unknown.
    """

    text: str
    pmid: int | None = None
    doi: str = ""
    title: str = ""
    author: str = ""
    year: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """All references of a manuscript.

    Attributes:
        by_source: The entries by source (`number`, `key` or `note`).
        problems: What was wrong with them, one sentence each.
    """

    by_source: Mapping[Source, Reference]
    problems: tuple[str, ...] = ()

    def of(self, source: Source) -> Reference | None:
        """Return the entry that a source names; None if there is none. PMIDs and DOIs need no entry."""
        if source.kind == "pmid":
            return self.by_source.get(source) or Reference(f"PMID {source.name}", pmid=int(source.name))
        if source.kind == "doi":
            return Reference(f"doi:{source.name}", doi=source.name)
        if source.kind == "author":
            name, _, year = source.name.rpartition(" ")
            found = [each for each in self.by_source.values() if each.author == name and each.year[:4] == year[:4]]
            return next((each for each in found if each.year == year), found[0] if found else None)
        return self.by_source.get(source)


def split_references(text: str) -> tuple[str, References]:
    """Divide a manuscript into its body and its references: the list under a heading, and footnotes.

    The body has the length of the text: blanks stand where the references were.
    """
    found: dict[Source, Reference] = {}
    problems: list[str] = []

    def keep(source: Source, entry: str) -> None:
        if source in found:
            problems.append(f"two entries of the references have the {source.kind} {source.name}; the first one stands")
        else:
            found[source] = read_reference(entry)

    body = text
    for note in _NOTE.finditer(text):
        keep(Source("key" if note[1] == "@" else "note", note[2]), " ".join(note[3].split()))
        body = _blanked(body, note.start(), note.end())
    if headings := list(_HEADING.finditer(body)):
        begin = headings[-1].end()
        following = _NEXT.search(body, begin)
        end = following.start() if following else len(body)
        for number, entry in _entries(body[begin:end]):
            keep(Source("number", str(number)), entry)
        body = _blanked(body, headings[-1].start(), end)
    return body, References(found, tuple(problems))


def read_bib(path: Path) -> References:
    """Return the entries of a .bib file by their keys, with accents in place of LaTeX commands.

    Raises:
        InputError: The file cannot be read or has no entry.
    """
    with reading(path, "a .bib file"):
        import bibtexparser.entrypoint
        from bibtexparser.middlewares import LatexDecodingMiddleware
        from bibtexparser.model import DuplicateBlockKeyBlock

        text = read_plain(path)
    log = logging.getLogger("bibtexparser")
    log.addHandler(_UNHEARD)
    log.propagate = False
    library = bibtexparser.entrypoint.parse_string(text, append_middleware=[LatexDecodingMiddleware()])
    found: dict[Source, Reference] = {}
    for entry in library.entries:
        fields = {
            field.key.lower(): " ".join(str(field.value).replace("{", "").replace("}", "").split())
            for field in entry.fields
        }
        found.setdefault(Source("key", entry.key), _of_fields(fields))
    problems = [
        f"{path.name}: the key {block.key} stands twice; its first entry stands"
        if isinstance(block, DuplicateBlockKeyBlock)
        else f"{path.name} line {(block.start_line or 0) + 1}: the entry cannot be read"
        for block in library.failed_blocks
    ]
    if not found:
        raise InputError(f"{path} has no entry", "a .bib file with entries (@article{...})", "check the file")
    return References(found, tuple(problems))


def joined(*every: References) -> References:
    """Return the references of several places. The first entry of a source stands."""
    found: dict[Source, Reference] = {}
    for references in every:
        for source, reference in references.by_source.items():
            found.setdefault(source, reference)
    return References(found, tuple(problem for references in every for problem in references.problems))


def read_reference(entry: str) -> Reference:
    """Return an entry of a list of references: its PMID, DOI, first author and year as far as it gives them."""
    pmid, doi, years = _PMID.search(entry), _DOI.search(entry), _YEAR.findall(_DOI.sub("", entry))
    author = re.match(rf"\W*({_NAME})", entry)
    return Reference(
        entry,
        int(re.split(r"\D", pmid[1])[0]) if pmid else None,
        _bare(doi[0]) if doi else "",
        author=_folded(author[1]) if author else "",
        year=years[0] if years else "",
    )


def places(text: str, references: References) -> list[Place]:
    """Return the places of a text that cite, in order.

    Args:
        text: The body of a manuscript.
        references: Its references. Numbers cite only if a list of references has numbers.
    """
    held = references.by_source
    identifiers = list(_IDENTIFIER.finditer(text))
    found = [(match.start(), tuple(_identifiers(match))) for match in identifiers]
    plain = text
    for match in identifiers:
        plain = _blanked(plain, match.start(), match.end())
    brackets = [(match.start(), match[1] or match[2], match[1] is not None) for match in _BRACKETS.finditer(plain)]
    found += [(match.start(), (Source("note", match[1]),)) for match in _FOOTNOTE.finditer(plain)]
    found += [
        (match.start(), (source,)) for match in _KEY.finditer(plain) if (source := Source("key", match[1])) in held
    ]
    found += [
        (at, tuple(each for each in (Source("key", key) for key in _KEY.findall(inner)) if each not in held))
        for at, inner, square in brackets
        if square
    ]
    found += [(match.start(), (_author(match),)) for match in _AUTHOR.finditer(plain)]
    found += [(at, tuple(map(_author, _AUTHOR_WITHIN.finditer(inner)))) for at, inner, _ in brackets]
    if any(source.kind == "number" for source in held):
        listed = [(at, _numbers(inner), square) for at, inner, square in brackets if _LIST.fullmatch(inner.strip())]
        usual = any(square for _, _, square in listed)
        found += [(at, sources) for at, sources, square in listed if square == usual]
        for match in SUPERSCRIPT.finditer(plain):
            found.append((match.start(), _numbers(re.sub(r"</?sup>|[^\d,–-]", "", match[0].translate(_RAISED)))))
    return [Place(start, sources) for start, sources in sorted(found) if sources]


def _author(match: re.Match[str]) -> Source:
    return Source("author", f"{_folded(match[1])} {match[2]}")


def _identifiers(match: re.Match[str]) -> Iterator[Source]:
    if match[1]:
        yield from (Source("pmid", str(int(number))) for number in re.findall(r"\d+", match[1]))
    else:
        yield Source("doi", _bare(match[0]))


def _numbers(listed: str) -> tuple[Source, ...]:
    """Return the numbers of a list such as "1, 3-5"."""
    found: list[int] = []
    for part in re.split(r"[,;]", listed):
        first, _, last = (piece.strip() for piece in part.replace("–", "-").partition("-"))
        if first.isdigit():
            upper = int(last) if last.isdigit() else int(first)
            found += range(int(first), min(upper, int(first) + 99) + 1)
    return tuple(Source("number", str(number)) for number in found)


def _entries(listed: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each entry of a list. Entries without numbers are counted."""
    blocks: list[list[str]] = []
    lines = listed.split("\n")
    numbered = sum(_NUMBERED.match(line) is not None for line in lines) > 1 or bool(
        lines and _NUMBERED.match(listed.strip())
    )
    begin = True
    for line in lines:
        if not line.strip():
            begin = not numbered
        elif _NUMBERED.match(line) or (begin and not numbered) or not blocks:
            blocks.append([line])
            begin = False
        else:
            blocks[-1].append(line)
    for place, block in enumerate(blocks, 1):
        text = " ".join(" ".join(block).split())
        mark = _NUMBERED.match(text)
        number = next((int(each) for each in mark.groups() if each), place) if mark else place
        yield number, text[mark.end() :] if mark else re.sub(r"^[-*•]\s+", "", text)


def _of_fields(fields: Mapping[str, str]) -> Reference:
    """Return an entry of a .bib file."""
    told = ", ".join(fields[name] for name in ("author", "title", "journal", "year") if fields.get(name))
    identifiers = " ".join(fields.get(name, "") for name in ("note", "url", "annote"))
    pmid = _PMID.search(f"PMID {fields['pmid']}" if fields.get("pmid") else identifiers)
    doi = _DOI.search(fields.get("doi", "")) or _DOI.search(identifiers)
    first = re.split(r"\s+and\s+", fields.get("author", ""))[0]
    family = first.partition(",")[0] if "," in first else first.split(" ")[-1]
    return Reference(
        told,
        int(re.split(r"\D", pmid[1])[0]) if pmid else None,
        _bare(doi[0]) if doi else "",
        fields.get("title", ""),
        _folded(family),
        (fields.get("year") or fields.get("date", ""))[:4],
    )


def _folded(name: str) -> str:
    """Return a name in lower case and without accents."""
    return "".join(letter for letter in normalize("NFKD", name) if not combining(letter)).lower()


def _bare(doi: str) -> str:
    """Return a DOI in lower case, without punctuation and brackets of the text behind it."""
    doi = re.sub(r"[.,;:\]'\"]+$", "", doi)
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = re.sub(r"[.,;:'\"]*\)$", "", doi)
    return doi.lower()


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
