"""Divide a text into its sentences by its layout: paragraphs, lines, headings, lists, tables and labelled fields.

The offsets of each part are those of the text. What a part says may differ from the text there: a row of a table gives
"Aspirin treats headache" for the cells "Aspirin" and "treats headache", and the items of a list share the words before
the list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from groundwork.language import Sentence, sentences
from groundwork.layout.fields import FIELD, RULE, Told, fields, predicate, table
from groundwork.layout.verbs import says, unfinished
from groundwork.stretches import Span

#: A heading with its marks.
_HEADING = re.compile(r"#{1,6}[^\S\n]+(?P<words>.*?)[\s#]*$")
#: The beginning of a list item: "* ", "- [x] ", "2. ", "2) ", "(b) ", "iv. ".
_BULLET = re.compile(r"[>\s]*(?:[*+\u2022\u2023\u25aa\u25cf\u25cb\u25e6\u00b7\u2013\u2014-]\s+(?:\[[ xX]\]\s+)?)(?=\S)")
_ORDER = r"\(?(?:(?P<number>\d{1,2})[.)]|(?P<letter>[a-z]|[ivx]{2,4})\))"
_ORDERED = re.compile(rf"[>\s]*{_ORDER}\s+(?=\S)")
_INLINE = re.compile(rf"(?<!\S){_ORDER}\s+(?=\S)")
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
#: Words in the introduction of a list that deny or doubt its items.
_RESERVED = re.compile(r"\b(?:not?|none|never|neither|may|might|could|if|whether|possibl[ey]|perhaps|un\w+)\b", re.I)
_PLURAL_OF = re.compile(r"s (?:of|for|to|in|on) ")
#: Minimum width of lines that may be the lines of one paragraph, broken where the next word had no room.
_WRAPPED = 60


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text that may make claims.

    Attributes:
        sentence: The part as it is in the text.
        said: What it says as a sentence; usually the same.
    """

    sentence: Sentence
    said: str


class _Line(NamedTuple):
    """A line of a text: its kind (plain, blank, rule, heading, item or row), and the span of its words."""

    kind: str
    start: int
    end: int


def parts(text: str) -> list[Part]:
    """Return the parts of a text in order. A part ends at the latest where a sentence ends (`language.sentences`)."""
    found: list[Part] = []
    lead = False
    for kind, lines in _blocks(_lines(text)):
        spans = [(line.start, line.end) for line in lines]
        if kind == "row":
            found += _parts(text, table(text, spans))
        elif kind == "item":
            introduced = lead and found and not re.search(r"[.!?]\W*$", found[-1].said)
            found += _listed(text, found.pop() if introduced else None, spans)
        elif kind in {"plain", "heading"}:
            found += _paragraph(text, spans)
        lead = kind == "plain" or (kind == "blank" and lead and bool(found) and found[-1].said.endswith(":"))
    return found


def _lines(text: str) -> list[_Line]:
    """Return the lines of a text with their kinds."""
    spans = [found.span() for found in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", text)]
    texts = [text[start:end] for start, end in spans]
    ordered = _in_order([_ORDERED.match(each) for each in texts])
    lines: list[_Line] = []
    for n, ((start, end), line) in enumerate(zip(spans, texts, strict=True)):
        heading, mark = _HEADING.match(line), ordered[n] or _BULLET.match(line)
        kinds = {
            "blank": not line.strip(),
            "rule": RULE.match(line),
            "heading": heading,
            "row": _is_row(texts, n),
            "item": mark,
            "plain": True,
        }
        kind = next(kind for kind, fits in kinds.items() if fits)
        first, last = heading.span("words") if heading else (mark.end() if mark and kind == "item" else 0, len(line))
        inner = line[first:last]
        first, last = first + len(inner) - len(inner.lstrip(" \t>")), last - len(inner) + len(inner.rstrip())
        lines.append(_Line(kind, start + first, start + last if kind != "blank" else end))
    return lines


def _in_order(marks: Sequence[re.Match[str] | None]) -> list[re.Match[str] | None]:
    """Return the marks whose number or letter follows that of the mark before, or precedes that of the next mark.

    A number at the beginning of a line may also be the end of a sentence.
    """
    places = [n for n, mark in enumerate(marks) if mark]
    values = {n: _values(mark) for n in places if (mark := marks[n])}
    kept = set[int]()
    for one, other in pairwise(places):
        if any(a and (b == a + 1 or a == b == 1) for a, b in zip(values[one], values[other], strict=True)):
            kept |= {one, other}
    return [mark if n in kept else None for n, mark in enumerate(marks)]


def _values(mark: re.Match[str]) -> tuple[int, int, int]:
    """Return the position that a mark states, as a number, as a letter and as a Roman number; 0 if it is none."""
    letter = mark["letter"] or ""
    roman = _ROMAN.index(letter) if letter in _ROMAN else 0
    return int(mark["number"] or 0), ord(letter) - 96 if len(letter) == 1 else 0, roman


def _is_row(lines: Sequence[str], n: int) -> bool:
    """Return whether a line is a row of a table: it has borders, and so have lines beside it."""
    for border in ("|", "\t"):
        inner = lines[n].strip(" ").count(border)
        beside = [lines[at].strip(" ").count(border) for at in (n - 1, n + 1) if 0 <= at < len(lines)]
        if inner and (inner in beside or (border == "|" and inner > 1 and lines[n].strip()[0] == "|")):
            return True
    return False


def _blocks(lines: Sequence[_Line]) -> Iterator[tuple[str, list[_Line]]]:
    """Yield the paragraphs, headings, lists and tables. Blank lines between the items of a list are left out.

    A plain line after an item continues this item.
    """
    kept: list[_Line] = []
    following, kinds = "", [""] * len(lines)
    for n in reversed(range(len(lines))):
        following = kinds[n] = following if lines[n].kind == "blank" else lines[n].kind
    for line, following in zip(lines, kinds, strict=True):
        if line.kind == "plain" and kept and kept[-1].kind == "item":
            kept[-1] = kept[-1]._replace(end=line.end)
            continue
        if line.kind == "blank" and kept and kept[-1].kind == following == "item":
            continue
        if line.kind == "rule" and not (kept and kept[-1].kind == "row"):
            line = line._replace(kind="blank")
        kept.append(line._replace(kind="row") if line.kind == "rule" else line)
    for _, same in groupby(enumerate(kept), key=lambda each: (each[1].kind, each[0] * (each[1].kind == "heading"))):
        block = [line for _, line in same]
        yield block[0].kind, block


def _paragraph(text: str, lines: Sequence[Span]) -> list[Part]:
    """Return the parts of a paragraph, given the spans of its lines."""
    if told := fields(text, (lines[0][0], lines[-1][1])):
        return _parts(text, told)
    return [part for chunk in _chunks(text, lines) for part in _enumerated(text, chunk)]


def _chunks(text: str, lines: Sequence[Span]) -> list[Span]:
    """Return the parts of a paragraph that its lines separate.

    Lines are separated where the next one begins like a sentence, and one of the two has a verb. If every line of a
    wide paragraph is as long as the next word allows, this must hold for all of its lines.
    """
    width = max(end - start for start, end in lines)
    small = text[slice(*lines[0])][:1].islower()
    places, full = [], width >= _WRAPPED
    for one, other in pairwise(lines):
        places.append(_separate(text[slice(*one)], text[slice(*other)], small=small))
        full = full and one[1] - one[0] + 1 + len(text[slice(*other)].split(" ", 1)[0]) > width
    if full and not all(places):
        places = [False] * len(places)
    found = [lines[0]]
    for line, apart in zip(lines[1:], places, strict=True):
        found.append(line if apart else (found.pop()[0], line[1]))
    return found


def _separate(before: str, after: str, *, small: bool) -> bool:
    """Return whether two lines are separate statements, or a heading and a statement."""
    if not (small or re.match(r"[^\W\d_a-z]|[a-z]+[A-Z\d]|[\"'(\[\u201c]", after)):
        return False
    if before.endswith(":"):
        return True
    return not unfinished(before) and (says(after) or says(before))


def _listed(text: str, lead: Part | None, items: Sequence[Span]) -> list[Part]:
    """Return the parts of a list: the words before the list, and each item.

    An introduction that ends in ":" makes no claim of its own. If it needs the items, or denies or doubts them, it is
    said with each item: "A lowers:", "- B".
    """
    if lead:
        said, whole = lead.said.rstrip(": "), all(says(text[slice(*item)]) for item in items)
        joint = "" if unfinished(said) else " that" if whole else " are" if _PLURAL_OF.search(said) else None
        if joint is None:
            return [_whole(text, (lead.sentence.start, items[-1][1]))]
        if not whole or _RESERVED.search(said):
            return [_whole(text, item, f"{said}{joint} {text[slice(*item)].rstrip(' .;,')}.") for item in items]
    told = fields(text, (items[0][0], items[-1][1]), items)
    own = [lead] if lead and not lead.said.endswith(":") else []
    return own + (_parts(text, told) or [part for item in items for part in _enumerated(text, item)])


def _parts(text: str, told: Sequence[Told]) -> list[Part]:
    """Return the parts for what fields say."""
    return [
        part for span, said in told for part in (_sentences(text, span) if said is None else [_whole(text, span, said)])
    ]


def _whole(text: str, span: Span, said: str | None = None) -> Part:
    """Return a span as one part."""
    words = text[slice(*span)]
    return Part(Sentence(words, *span), words if said is None else said)


def _enumerated(text: str, span: Span) -> list[Part]:
    """Return the parts of a span: the members of a numbered list within a line, and otherwise its sentences."""
    marks = [mark for mark in _INLINE.finditer(text, *span) if mark["number"] or mark["letter"]]
    firsts = [n for n, mark in enumerate(marks) if 1 in _values(mark)]
    if firsts and len(marks) > firsts[0] + 1:
        marks = [mark for mark in _in_order(marks[firsts[0] :]) if mark]
        ends = [*(mark.start() for mark in marks[1:]), span[1]]
        items = [_trimmed(text, (mark.end(), end)) for mark, end in zip(marks, ends, strict=True)]
        if len(items) > 1 and all(says(text[slice(*item)]) for item in items):
            before = _sentences(text, (span[0], marks[0].start()))
            introduced = before and not re.search(r"[.!?]$", before[-1].said)
            return before[: len(before) - bool(introduced)] + _listed(text, before[-1] if introduced else None, items)
    return _sentences(text, span)


def _trimmed(text: str, span: Span) -> Span:
    """Return the span of a list member without the words that join it to the next member."""
    words = re.sub(r"[\s;,]*(?:\b(?:and|but)\b)?[\s;,]*$", "", text[slice(*span)])
    return span[0], span[0] + len(words)


def _sentences(text: str, span: Span) -> list[Part]:
    """Return the sentences of a span, without the number of a list item at their beginning."""
    found = []
    for sentence in sentences(text[slice(*span)]):
        mark = _ORDERED.match(sentence.text)
        first = mark.end() if mark and mark["number"] else 0
        field = FIELD.match(sentence.text[first:])
        said = f"{field['label']} {field['value']}." if field and predicate(field) else None
        found.append(_whole(text, (span[0] + sentence.start + first, span[0] + sentence.end), said))
    return found
