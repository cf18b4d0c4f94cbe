"""Read a manuscript as text (Markdown, plain text, Word or LaTeX), with its references and the places that cite them.

All formats give the same forms, those of Markdown: citations are `[3]`, `<sup>3</sup>`, `[@key]` or `[^note]`, and
footnotes and references with keys are lines `[^note]: ...` and `[@key]: ...`.

Word files are read with python-docx, which knows their packaging. Its paragraphs leave out inserted text and keep field
codes out of sight, so runs are walked here: deleted text and field codes are dropped, inserted text is kept. LaTeX is
read with pylatexenc, a parser that knows accents, macros and comments.

A place of citation names its sources in one of these forms: a PMID or DOI in the text or in an address, a number of the
list of references ("[3-5]", "³", "(3)" if the text has no square brackets with numbers), a key ("[@smith2020]"), a
footnote ("[^1]"), or an author with a year ("(Smith et al., 2020)").
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, normalize
from zipfile import BadZipFile

from groundwork.errors import InputError
from groundwork.files import read_bytes
from groundwork.readable import SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

#: Endings of the files that can be read.
ENDINGS = (".md", ".markdown", ".txt", ".docx", ".tex")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: Parts of a Word document that a reader does not see: deleted and moved text, and codes of fields.
_UNSEEN = {f"{_W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "rPr", "pPr")}
#: Numbers of references, as they stand above the line.
_RAISED_NUMBER = re.compile(r"\s*\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\s*")
_HEADINGS = ("title", "chapter", "section", "subsection", "subsubsection", "paragraph")
#: Names of LaTeX macros that cite. The keys are their last argument.
_CITING = tuple(
    f"{name}{star}"
    for star in ("", "*")
    for name in (
        *("cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "Citep", "Citet", "nocite"),
        *(
            "autocite",
            "parencite",
            "textcite",
            "footcite",
            "supercite",
            "smartcite",
            "fullcite",
            "Autocite",
            "Textcite",
        ),
    )
)
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


def read_manuscript(path: Path) -> str:
    """Return the text of a manuscript with its citations in the forms that the module describes.

    Raises:
        InputError: The file cannot be read, is empty, is not of the format that its name says, has another ending, or
            needs a library that is not installed.
    """
    wanted = f"a manuscript: {', '.join(ENDINGS)}"
    readers = {".docx": _word, ".tex": _latex}
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename the file")
    with reading(path, wanted):
        text = readers.get(ending, read_plain)(path)
    if not text.strip():
        raise InputError(f"{path} contains no text", "a manuscript with text", "check the file")
    return text


@contextmanager
def reading(path: Path, wanted: str) -> Iterator[None]:
    """Turn errors of reading a file into InputError.

    Args:
        path: The file.
        wanted: What the file should be, for error messages.

    Raises:
        InputError: The file cannot be read, is not UTF-8, or needs a library that is not installed.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", wanted, "check the path") from None
    except ModuleNotFoundError as error:
        remedy = "install the extra: pip install 'truthhypo[manuscripts]'"
        raise InputError(f"{path} needs the library {error.name}", "the library installed", remedy) from None


def read_plain(path: Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark, with LF as line end."""
    return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")


def _word(path: Path) -> str:
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    if not path.exists():
        raise InputError(f"{path} is not there", "a .docx file", "check the path")
    try:
        document = docx.Document(str(path))
    except (BadZipFile, KeyError, PackageNotFoundError, ValueError) as error:
        raise InputError(f"{path} is no Word file: {error}", "a .docx file", "save it as .docx again") from None
    lines = list(_paragraphs(document.element.body))
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if kind in {"footnotes", "endnotes"}:
            lines += _notes(relation.target_part.blob, kind)
    return "\n\n".join(lines)


def _paragraphs(parent: _Element) -> Iterator[str]:
    """Yield the text of each paragraph, a heading after a mark. Numbers of lists are not part of the text."""
    for paragraph in parent.iter(f"{_W}p"):
        if any(above.tag in _UNSEEN for above in paragraph.iterancestors()):
            continue
        text = "".join(_shown(paragraph)).strip()
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        if text:
            heading = style is not None and style.get(f"{_W}val", "").lower().startswith("heading")
            yield f"# {text}" if heading else text


def _shown(element: _Element) -> Iterator[str]:
    """Yield the visible texts of an element, with citations in the forms of the module."""
    for child in element:
        if child.tag in _UNSEEN:
            continue
        if child.tag == f"{_W}r":
            raised = child.find(f"{_W}rPr/{_W}vertAlign")
            text = "".join(_shown(child))
            up = raised is not None and raised.get(f"{_W}val") == "superscript"
            yield f"<sup>{text.strip()}</sup>" if up and _RAISED_NUMBER.fullmatch(text) else text
        elif child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in {f"{_W}tab", f"{_W}br", f"{_W}cr"}:
            yield " "
        elif child.tag in {f"{_W}footnoteReference", f"{_W}endnoteReference"}:
            yield f"[^{_note(child)}]"
        elif child.tag != f"{_W}p":
            yield from _shown(child)


def _note(element: _Element) -> str:
    return f"{element.tag.removeprefix(_W)[:4]}{element.get(f'{_W}id', '')}"


def _notes(blob: bytes, kind: str) -> Iterator[str]:
    """Yield the lines of footnotes or endnotes."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for note in etree.fromstring(blob, parser).iter(f"{_W}{kind.removesuffix('s')}"):
        text = " ".join(_paragraphs(note))
        if text:
            yield f"[^{_note(note)}]: {text}"


def _latex(path: Path) -> str:
    from pylatexenc import latex2text, latexwalker
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

    source = read_plain(path)
    macros = latexwalker.get_default_latex_context_db()
    specs = [MacroSpec(name, "*[[{") for name in _CITING] + [
        MacroSpec("bibitem", "[{"),
        MacroSpec("textsuperscript", "{"),
    ]
    listed = [EnvironmentSpec("thebibliography", "{")]
    macros.add_context_category("citations", macros=specs, environments=listed, prepend=True)
    shown = latex2text.get_default_latex_context_db()
    texts = [latex2text.MacroTextSpec(name, simplify_repl=_cited) for name in _CITING]
    texts += [
        latex2text.MacroTextSpec("bibitem", simplify_repl=lambda node: f"\n\n[@{_key(node)}]: "),
        latex2text.MacroTextSpec("textsuperscript", simplify_repl=_raised),
        latex2text.MacroTextSpec("footnote", simplify_repl=lambda node, l2tobj: f" ({_inner(node, l2tobj)})"),
        *(latex2text.MacroTextSpec(name, simplify_repl=_heading) for name in _HEADINGS),
    ]
    shown.add_context_category("citations", macros=texts, prepend=True)
    body = re.search(r"\\begin\{document\}(.*)\\end\{document\}", source, re.DOTALL)
    walker = latexwalker.LatexWalker(body[1] if body else source, latex_context=macros, tolerant_parsing=True)
    nodes, _, _ = walker.get_latex_nodes()
    converter = latex2text.LatexNodes2Text(shown, math_mode="text", keep_comments=False, strict_latex_spaces=False)
    text: str = converter.nodelist_to_text(nodes)
    return text


def _key(node: Any) -> str:
    """Return the keys in the last argument of a citing macro."""
    last = node.nodeargd.argnlist[-1]
    return "" if last is None else str(last.latex_verbatim()).strip("{} \n")


def _cited(node: Any) -> str:
    keys = [key.strip() for key in _key(node).split(",") if key.strip()]
    return f"[{'; '.join(f'@{key}' for key in keys)}]" if keys and node.macroname.rstrip("*") != "nocite" else ""


def _inner(node: Any, l2tobj: Any) -> str:
    """Return the text of the last argument of a macro."""
    return str(l2tobj.nodelist_to_text([node.nodeargd.argnlist[-1]]))


def _heading(node: Any, l2tobj: Any) -> str:
    return f"\n\n# {_inner(node, l2tobj)}\n\n"


def _raised(node: Any, l2tobj: Any) -> str:
    text = _inner(node, l2tobj)
    return f"<sup>{text.strip()}</sup>" if _RAISED_NUMBER.fullmatch(text) else text


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
        listed = [
            (at, _numbered_sources(inner), square) for at, inner, square in brackets if _LIST.fullmatch(inner.strip())
        ]
        usual = any(square for _, _, square in listed)
        found += [(at, sources) for at, sources, square in listed if square == usual]
        for match in SUPERSCRIPT.finditer(plain):
            found.append(
                (match.start(), _numbered_sources(re.sub(r"</?sup>|[^\d,–-]", "", match[0].translate(_RAISED))))
            )
    return [Place(start, sources) for start, sources in sorted(found) if sources]


def _author(match: re.Match[str]) -> Source:
    return Source("author", f"{_folded(match[1])} {match[2]}")


def _identifiers(match: re.Match[str]) -> Iterator[Source]:
    if match[1]:
        yield from (Source("pmid", str(int(number))) for number in re.findall(r"\d+", match[1]))
    else:
        yield Source("doi", _bare(match[0]))


def _numbered_sources(listed: str) -> tuple[Source, ...]:
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
