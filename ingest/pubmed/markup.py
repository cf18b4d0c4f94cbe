"""Reduce the markup of titles and abstracts to plain text, so that words and numbers stay apart.

- Inline markup (`<i>`) goes without a trace. Any other element is set apart by blanks, so that two paragraphs do not
  run together into one word.
- A superscript or subscript that begins with a number, directly behind a digit, gets `^` or `_`: 10<sup>6</sup> becomes
  10^6, because 106 is another number. Any other stays without a mark, as PubMed itself writes and as people search:
  H2O, Ca2+, CD4+, kg/m2. A number that follows a superscript, subscript or fraction without a blank gets a blank:
  log<sub>10</sub>5 becomes log10 5, because 105 is another number.
- In MathML, the second or third child of some elements is a superscript or subscript. Fractions are written with `/`.
- Some records have characters or markup that were escaped twice, so that the text contains `&alpha;`, or `<i>` and
  `</i>`. They are treated like characters and markup. A comparison (`a <b and c> d`) has no closing tag and stays.
"""

import re
from collections import defaultdict
from html import unescape
from html.entities import html5

from lxml.etree import _Element

_MATH = "{http://www.w3.org/1998/Math/MathML}"

#: The mark between a number and a number above or below it.
_SCRIPTS = {"sup": "^", "sub": "_"}

#: The mark before each child of an element of MathML.
_MATH_MARKS = {"msup": ("", "^"), "msub": ("", "_"), "msubsup": ("", "_", "^"), "mfrac": ("", "/")}

#: Elements of HTML and JATS that may begin or end within a word.
_INLINE = frozenset(
    {"a", "b", "bold", "em", "ext-link", "font", "i", "inline-formula", "italic", "monospace", "named-content"}
    | {"overline", "roman", "sc", "small", "span", "strike", "strong", "styled-content", "tt", "u", "underline", "xref"}
)
_BLOCK = " "
_NUMBER = re.compile(r"\s*[-+\u2212\u2013]?\d")  # a sign may be a minus (U+2212) or a dash (U+2013)

#: An entity with its closing semicolon, without which it may be a word: "R&D".
_ENTITY = re.compile(r"&(#\d+;|#[xX][\da-fA-F]+;|[A-Za-z]\w*;)")
_ATTRIBUTE = r"\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')"
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>[a-z][\w:.-]*)(?:{_ATTRIBUTE})*\s*(?P<empty>/?)>", re.IGNORECASE)


def text(element: _Element) -> str:
    """Return all text within an element without its markup. Blanks in MathML are layout and are removed."""
    if len(element):
        words = _Words()
        _walk(element, words)
        found = words.text
    else:
        found = element.text or ""
    return plain(found)


def plain(text: str) -> str:
    """Return a text without the entities and the markup that are written in it."""
    while "&" in text and (shown := _ENTITY.sub(_character, text)) != text:
        text = shown
    return _without_tags(text) if "<" in text else text


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity; the entity itself if its name is unknown."""
    return unescape(entity[0]) if entity[1].startswith("#") else html5.get(entity[1], entity[0])


class _Words:
    """Collects the text of an element part by part.

    A part begins and ends with a mark: "" for inline markup, `_BLOCK` for a part that is set apart by blanks, `/` for
    a denominator, and `^` or `_` for a superscript or subscript.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._ended = False  # whether the last piece ended a superscript, subscript or fraction

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> None:
        if not piece:
            return
        if self._ended and piece[0].isdecimal() and self._pieces and self._pieces[-1][-1].isdecimal():
            piece = _BLOCK + piece
        self._pieces.append(piece)
        self._ended = False

    def begin(self, mark: str) -> None:
        if mark == _BLOCK:
            self.add(mark)
        elif mark:
            self._starts.append(len(self._pieces))

    def end(self, mark: str) -> None:
        if mark == _BLOCK:
            self.add(mark)
        elif mark:
            start = self._starts.pop()
            inner = "".join(self._pieces[start:])
            behind_digit = start > 0 and self._pieces[start - 1][-1].isdecimal()
            if mark == "/" or (behind_digit and _NUMBER.match(inner)):
                self._pieces[start:] = [mark + inner.lstrip()]
            self._ended = True


def _walk(element: _Element, words: _Words) -> None:
    math = str(element.tag).startswith(_MATH)
    words.add(_piece(element.text, math))
    marks = _MATH_MARKS.get(str(element.tag).removeprefix(_MATH), ()) if math else ()
    for place, child in enumerate(element):
        mark = marks[place] if place < len(marks) else _mark(str(child.tag))
        words.begin(mark)
        _walk(child, words)
        words.end(mark)
        words.add(_piece(child.tail, math))


def _piece(text: str | None, math: bool) -> str:
    return (text.strip() if math else text) if text else ""


def _mark(tag: str) -> str:
    if tag in _INLINE or tag.startswith(_MATH):
        return ""
    return _SCRIPTS.get(tag, _BLOCK)


def _without_tags(text: str) -> str:
    """Return a text without the markup that is written in it. A tag that is not one of a pair, or empty, stays."""
    tags = list(_TAG.finditer(text))
    opened, paired = defaultdict[str, list[int]](list), set[int]()
    for number, tag in enumerate(tags):
        waiting = opened[tag["name"].lower()]
        if not tag["end"]:
            waiting.append(number)
        elif waiting:
            paired |= {waiting.pop(), number}
    words, done = _Words(), 0
    for number, tag in enumerate(tags):
        name = tag["name"].lower()
        empty = bool(tag["empty"]) or name == "br"
        if number in paired or empty:
            words.add(text[done : tag.start()])
            done = tag.end()
            (words.end if tag["end"] else words.begin)(_BLOCK if empty else _mark(name))
    words.add(text[done:])
    return words.text
