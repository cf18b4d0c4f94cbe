"""Write articles as references for programs that manage literature: RIS and BibTeX."""

import re
from collections.abc import Mapping

from truthhypo.service.typed_answers import ArticleNote

_ADDRESS = "https://pubmed.ncbi.nlm.nih.gov/{}/"
#: Characters with a special meaning in TeX, with their escapes.
_TEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
_RETRACTED = "Retracted article"


def ris(articles: Mapping[str, ArticleNote]) -> str:
    """Return articles in RIS, in the order given.

    Args:
        articles: The articles, by PMID.
    """
    return "".join(_ris(pmid, note) for pmid, note in articles.items())


def bibtex(articles: Mapping[str, ArticleNote]) -> str:
    """Return articles in BibTeX, in the order given. Keys have the form `pmid1928887`.

    Args:
        articles: The articles, by PMID.
    """
    return "\n".join(_bibtex(pmid, note) for pmid, note in articles.items())


def _ris(pmid: str, note: ArticleNote) -> str:
    fields = (
        ("TY", "JOUR"),
        ("TI", note.title),
        ("JO", note.journal),
        ("PY", note.year),
        ("AN", pmid),
        ("DB", "PubMed"),
        ("UR", _ADDRESS.format(pmid)),
        ("N1", _RETRACTED if note.retracted else None),
    )
    return "".join(f"{tag}  - {_line(value)}\n" for tag, value in fields if value is not None) + "ER  - \n\n"


def _bibtex(pmid: str, note: ArticleNote) -> str:
    fields = (
        ("title", f"{{{_tex(note.title)}}}"),
        ("journal", None if note.journal is None else _tex(note.journal)),
        ("year", note.year),
        ("url", _ADDRESS.format(pmid)),
        ("note", f"PMID: {pmid}{f'. {_RETRACTED}' if note.retracted else ''}"),
    )
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields if value is not None)
    return f"@article{{pmid{pmid},\n{lines}}}\n"


def _line(value: object) -> str:
    """Return a value on one line, because a line break would end the field."""
    return re.sub(r"\s+", " ", str(value)).strip()


def _tex(text: str) -> str:
    return _line(text).translate(_TEX)
