"""Write small Word files, with what python-docx cannot write: footnotes, tracked changes and fields."""

from pathlib import Path
from zipfile import ZipFile

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def write_word(path: Path, body: str, notes: str = "") -> Path:
    """Write a .docx file.

    Args:
        path: The file.
        body: The XML of its paragraphs.
        notes: The XML of its footnotes.
    """
    relations = f'<Relationship Id="r1" Type="{_OFFICE}/footnotes" Target="footnotes.xml"/>' if notes else ""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/>'
        f'<Override PartName="/word/footnotes.xml" ContentType="{_TYPE}.footnotes+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
    }
    if notes:
        parts["word/footnotes.xml"] = f"<w:footnotes {_W}>{notes}</w:footnotes>"
    with ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return path


def paragraph(*runs: str, style: str = "") -> str:
    """Return the XML of a paragraph."""
    shown = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{shown}{''.join(runs)}</w:p>"


def run(text: str, *, raised: bool = False) -> str:
    """Return the XML of a run of text, above the line or not."""
    look = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' if raised else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'
