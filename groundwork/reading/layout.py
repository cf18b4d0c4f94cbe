"""Divide a text into its sentences by its layout: paragraphs, lines, headings, lists, tables and labelled fields.

The offsets of each part are those of the text. What a part says may differ from the text there: a row of a table gives
"Aspirin treats headache" for the cells "Aspirin" and "treats headache", and the items of a list share the words before
the list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from groundwork.language import Sentence, parse, rows, sentences
from groundwork.linking import Mention
from groundwork.reading.tree import SUBJECTS, category, parse_mended
from groundwork.surroundings import Span

_TENSED = frozenset({"VBZ", "VBP", "VBD", "MD"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "with", "for", "to", "and", "or", "by", ",", ".", ")", "(", ":"})
#: Maximum number of characters in which a verb is searched.
_READ = 300


def relates(word: str) -> bool:
    """Return whether a word, in any regular form, says how one thing affects another: "lowers", "blocked"."""
    return any(category(word[:end].lower()) for end in (None, -1, -2))


@lru_cache(maxsize=4096)
def says(text: str) -> bool:
    """Return whether a text has a verb with something before it. Few biomedical verbs are known to the parser."""
    tokens = [token for token in parse(text[:_READ]) if not token.is_space]
    if any(token.tag_ in _TENSED for token in tokens[1:]):
        return True
    inner = pairwise(tokens[1:])
    return any(relates(token.text) and other.text.lower() not in _BEHIND_NOUN for token, other in inner)


def unfinished(text: str) -> bool:
    """Return whether more must follow a text: it ends with a function word or with a verb that has no object."""
    last = re.search(r"[\w-]+$", text)
    if last is None:
        return text.endswith((",", "-", "\u2013", "\u2014", "/", "("))
    acts = re.search(r"[a-z](?:s|ed)$", last[0]) and last[0].islower() and relates(last[0])
    return last[0].lower() in function_words() or bool(acts and parse(f"{text[-_READ:]} it")[-2].tag_ in _TENSED)


def states(subject: str, said: str) -> bool:
    """Return whether words state something about a subject: "Aspirin", "treats headache"."""
    tree = parse_mended(f"{subject} {said[:_READ]}", [Mention(subject, 0, len(subject), None, None, 0.0)])
    who = tree.places[0]
    verb = tree.words[who.head]
    return who.dep in SUBJECTS and any(word.tag in _TENSED for word in (verb, *tree.children(verb)))


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Return words after which a sentence goes on, such as "of", "the" and "whether"."""
    english = (word for kind, word in rows("groundwork.reading", "function_words.tsv") if kind == "english")
    return frozenset(english) | {"whether", "if", "because"}


Told = tuple[Span, str | None]

#: A rule between paragraphs, and the line below the heading of a table.
RULE = re.compile(r"[\s|:+=*_`~-]*$")
#: A labelled field, and the place between two of them: "Drug: X / Effect: Y".
_LABEL = r"[A-Z][\w-]*(?:[ /][\w-]+){0,3}"
FIELD = re.compile(rf"(?P<label>{_LABEL})\s*:\s+(?P<value>\S.*?)[\s.;,]*$", re.S)
_NEXT_FIELD = re.compile(rf"(?:\s*[/|;,.\u2013\u2014]\s+|\n\s*)(?={_LABEL}\s*:\s)")
#: Columns that name the source of a row, and cells that say too little.
_OF_SOURCE = re.compile(r"(?:stud|author|ref|source|year|pmid|citation|number|id\b|no\b|evidence)", re.I)
_WORDED, _VAGUE = re.compile(r"\W*[^\W\d_]\w"), re.compile(r"(?:yes|no|n/?a|nd|ns|none|unknown)\W*", re.I)
#: Maximum number of words of a name that labelled fields are about.
_NAME = 5


def fields(text: str, span: Span, pieces: Sequence[Span] = ()) -> list[Told]:
    """Return what two or more labelled fields say, such as "Drug: X / Effect: Y"; nothing if there are no fields.

    A label that comes again begins the next record.
    """
    if not pieces:
        places = [found.span() for found in _NEXT_FIELD.finditer(text, *span)]
        pieces = [(one[1], other[0]) for one, other in pairwise([(span[0],) * 2, *places, (span[1],) * 2])]
    matches = [match for piece in pieces if (match := FIELD.match(text[slice(*piece)]))]
    named = all(match["label"].split()[0].lower() not in function_words() for match in matches)
    if len(matches) < max(2, len(pieces)) or not named:
        return []
    if all(map(predicate, matches)):
        return [(piece, None) for piece in pieces]
    found: list[list[tuple[str, Span]]] = []
    for match, (start, _) in zip(matches, pieces, strict=True):
        if not found or match["label"] in {label for label, _ in found[-1]}:
            found.append([])
        found[-1].append((match["label"], (start + match.start("value"), start + match.end("value"))))
    return [told for record in found for told in _record(text, record)]


def predicate(field: re.Match[str]) -> bool:
    """Return whether the value of a field says something about its label: "Aspirin: treats headache"."""
    return not says(field["value"]) and states(field["label"], field["value"])


def table(text: str, lines: Sequence[Span]) -> list[Told]:
    """Return what the rows of a table say. The first row gives the labels, unless it is a statement."""
    cells = [_cells(text, line) for line in lines if not RULE.match(text[slice(*line)])]
    labels = [text[slice(*cell)] for cell in cells[0]] if cells else []
    stated = any(map(says, labels)) or (len(labels) > 1 and states(labels[0], " ".join(labels[1:])))
    heads = len(cells) > 1 and (len(cells) < len(lines) or not stated)
    names = labels if heads else []
    told = [list(zip([*names, *[""] * len(row)], row, strict=False)) for row in cells[heads:]]
    return [each for record in told for each in _record(text, record)]


def _cells(text: str, line: Span) -> list[Span]:
    """Return the spans of the cells of a row. Empty cells at the ends are left out."""
    found = []
    for cell in re.finditer(r"(?:^|(?<=[|\t]))[^|\t]*", text[slice(*line)]):
        start, end = line[0] + cell.start(), line[0] + cell.end()
        found.append((end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())))
    first = int(bool(found) and found[0][0] >= found[0][1])
    return found[first:-1] if found[-1][0] >= found[-1][1] else found[first:]


def _record(text: str, fields: Sequence[tuple[str, Span]]) -> list[Told]:
    """Return what labelled values say: the values that are statements, and what the others say about the first value.

    "Aspirin", "treats headache" is read as one sentence, and so is "Aspirin", "treats", "headache". Otherwise the label
    states the relation: "The effect of cisplatin is nephrotoxicity."
    """
    told = [(label, text[slice(*span)], span) for label, span in fields if not _OF_SOURCE.match(label)]
    told = [each for each in told if _WORDED.match(each[1]) and not _VAGUE.fullmatch(each[1])]
    found: list[Told] = [(span, None) for _, value, span in told if says(value)]
    rest = [each for each in told if not says(each[1])]
    if len(rest) < 2 or len(rest[0][1].split()) > _NAME:
        return found
    whole, subject = (fields[0][1][0], fields[-1][1][1]), rest[0][1]
    verb = ""
    for label, value, _ in rest[1:]:
        words = f"{verb} {value}".strip()
        verb = words if unfinished(words) and states(subject, f"{words} it") else ""
        if not verb and states(subject, words):
            found.append((whole, f"{subject} {words}."))
        elif not verb and re.fullmatch(r"[^\W\d_][^\d_]+", label):
            name = label if label[1:2].isupper() else label[:1].lower() + label[1:]
            is_or_are = "are" if re.search(r"[^sui]s$", name) else "is"
            found.append((whole, f"The {name} of {subject} {is_or_are} {value}."))
    return found


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
