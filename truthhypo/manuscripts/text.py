"""Read a manuscript as text: Markdown, plain text, Word (.docx) or LaTeX (.tex).

All formats give the same forms, those of Markdown: citations are `[3]`, `<sup>3</sup>`, `[@key]` or `[^note]`, and
footnotes and references with keys are lines `[^note]: ...` and `[@key]: ...`. `references.py` reads these forms.

Word files are read with python-docx, which knows their packaging. Its paragraphs leave out inserted text and keep field
codes out of sight, so runs are walked here: deleted text and field codes are dropped, inserted text is kept. LaTeX is
read with pylatexenc, a parser that knows accents, macros and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from groundwork.errors import InputError
from groundwork.files import read_bytes

if TYPE_CHECKING:
    from lxml.etree import _Element

#: Endings of the files that can be read.
ENDINGS = (".md", ".markdown", ".txt", ".docx", ".tex")

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: Parts of a Word document that a reader does not see: deleted and moved text, and codes of fields.
_UNSEEN = {f"{_W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "rPr", "pPr")}
#: Numbers of references, as they stand above the line.
_NUMBERS = re.compile(r"\s*\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\s*")
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
            yield f"<sup>{text.strip()}</sup>" if up and _NUMBERS.fullmatch(text) else text
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
    return f"<sup>{text.strip()}</sup>" if _NUMBERS.fullmatch(text) else text
